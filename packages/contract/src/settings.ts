import * as z from 'zod/mini'
import { knownStatuses } from './events.ts'
import { duration, durationUpTo } from './format-shapes.ts'
import { formalInterpretation, proseInterpretation } from './lead/limits.ts'
import { usualTokenFormat } from './lead-token.ts'

// The single place of a setting: its default in each profile, its shape, and its note, which the OpenAPI document shows
// and the console's forms show as a hint. `docs/open-points.md` repeats the notes.

const prose: Settings = {
  profile: 'prose',
  ...proseInterpretation,
  semantic_refusals: 'http_422',
  status_methods: ['POST', 'PATCH'],
  status_vocabulary: 'known',
  callback_event_names: 'usage',
  absent_fields: 'omit',
  duplicate_window: 'PT60S',
  callback_retries: ['PT5S', 'PT30S', 'PT5M', 'PT30M', 'PT2H'],
  callback_timeout: 'PT10S',
  token_format: usualTokenFormat,
  distribution: 'first_accept',
  callback_signature: 'none',
  lifecycle: [],
  journal_bodies: 'off',
}

/**
 * The settings of each profile: the specification's prose and quick start, which is the default, and its formal schema.
 */
export const profiles: Readonly<Record<Settings['profile'], Settings>> = {
  prose,
  formal: {
    ...prose,
    profile: 'formal',
    ...formalInterpretation,
    status_methods: ['POST'],
    callback_event_names: 'enum',
    absent_fields: 'null',
  },
}

/** The format of the token in a postback URL. */
export const tokenFormat = z.strictObject({
  hash: z.enum(['SHA-256', 'SHA-512']).check(z.describe('The hash function of the HMAC.')),
  joiner: z.string().check(z.describe("The separator between the lead's id and the advertiser's id. May be empty.")),
  encoding: z.enum(['hex', 'base64url']).check(z.describe('The encoding of the HMAC.')),
})

/** An event that the simulated advertiser reports automatically. */
export const scheduledEvent = z.strictObject({
  event: z.enum(knownStatuses as [string, ...string[]]).check(z.describe('The event, by its name on either list.')),
  after: duration.check(z.describe("The delay between the lead's arrival and the report, on the tenant's clock.")),
})

/** Every setting of an account. The shape is strict: an unknown name is an error. */
export const settings = z.strictObject({
  profile: z
    .enum(['prose', 'formal'])
    .check(
      z.describe(
        "Sets every setting that is not set explicitly: `prose` follows the specification's prose, `formal` its formal schema.",
      ),
    ),
  /** Point 1 (Spec 2.3). */
  gender: z
    .enum(['optional', 'required'])
    .check(note('gender', "The formal schema requires the customer's gender; the prose does not mention it.")),
  /** Point 2 (Spec 2.9 against 4.1). */
  consent_metadata: z
    .enum(['optional', 'required'])
    .check(
      note('consent_metadata', 'The formal schema requires consent metadata; the list of required fields does not.'),
    ),
  /** Point 3 (Spec 4.1, 7 against 2.12). */
  semantic_refusals: z
    .enum(['http_422', 'rejected_200'])
    .check(
      note(
        'semantic_refusals',
        'Missing consents and an unknown product get a `422` in one place and a rejection reason in another.',
      ),
    ),
  /** Point 4 (Spec 4.2): the methods of a status update by body. */
  status_methods: z.array(z.enum(['POST', 'PATCH'])).check(
    z.maxLength(2),
    z.minLength(1, 'must contain POST, PATCH or both'),
    z.refine(methods => new Set(methods).size === methods.length, 'must contain each method only once'),
    note('status_methods', 'The status update reference shows `POST`; the authentication page says `PATCH`.'),
  ),
  /** Point 5 (Spec 4.2): the values of the body form's `status`. */
  status_vocabulary: z
    .enum(['known', 'any'])
    .check(note('status_vocabulary', '`converted` is the only status shown in the specification of status updates.')),
  /** Point 6 (Spec 6.1, 6.2): the event names in callbacks. */
  callback_event_names: z
    .enum(['usage', 'enum', 'as_reported'])
    .check(note('callback_event_names', 'There are two lists of event names; the callback examples use the second.')),
  /** Point 7 (Spec 2.12). */
  absent_fields: z
    .enum(['omit', 'null'])
    .check(note('absent_fields', 'A response field that does not apply may be absent or null.')),
  /** Point 8 (Spec 2.12, 8): the time after a rejection during which the same customer is a `duplicate_submission`. */
  duplicate_window: duration.check(note('duplicate_window', 'How soon is too soon for `duplicate_submission`?')),
  /** Point 9 (Spec 6.2): the delay before each retry of a failed callback. */
  callback_retries: z
    .array(duration)
    .check(
      z.maxLength(50),
      z.meta({ 'x-ordered': true }),
      note('callback_retries', 'Does the service retry a failed callback?'),
    ),
  /** Point 10 (Spec 6.2): the time limit of one callback attempt. */
  callback_timeout: durationUpTo('P1D').check(
    note(
      'callback_timeout',
      'How long may the publisher take to respond? Any `2xx` counts as delivered; anything else, including a redirect, is a failed attempt.',
    ),
  ),
  /** Point 11 (Spec 5). */
  token_format: tokenFormat.check(
    note('token_format', 'The token is an HMAC over lead and advertiser: with which hash, joiner and encoding?'),
  ),
  /** Point 13 (Spec 1, 3). */
  distribution: z
    .enum(['first_accept', 'all_accepting'])
    .check(note('distribution', 'Does a lead go to one advertiser, or to every one that accepts it?')),
  /** Point 14 (Spec 6.2); `standard_webhooks` is an extension of the sandbox. */
  callback_signature: z
    .enum(['none', 'standard_webhooks'])
    .check(note('callback_signature', 'Nothing authenticates a callback.')),
  lifecycle: z
    .array(scheduledEvent)
    .check(
      z.maxLength(50),
      z.describe(
        "The events that the simulated advertiser reports automatically, with their delays after the lead's arrival.",
      ),
    ),
  journal_bodies: z
    .enum(['full', 'masked', 'off'])
    .check(
      z.describe(
        'The content that the journal stores of the newest 200 requests, with at most 16,384 characters of each body: `full`, as sent, so that a request can be resent; `masked`, without personal data; or `off`, none. `full` requires a sandbox that `lead-sandbox start` runs for this machine alone. After a change, the next request removes stored content: with `masked`, the content that `full` stored; with `off`, all of it.',
      ),
    ),
})

/** Every setting of an account. */
export type Settings = z.output<typeof settings>

/** Settings that an account sets explicitly, overriding its profile. */
export const settingsChange = z.partial(settings)

/** Settings that an account sets explicitly, overriding its profile. */
export type SettingsChange = z.output<typeof settingsChange>

/** Resolves an account's settings: its own, and its profile's for the rest. */
export function resolveSettings(own: SettingsChange): Settings {
  const set = Object.entries(own).filter(([, value]) => value !== undefined)
  return { ...profiles[own.profile ?? 'prose'], ...Object.fromEntries(set) }
}

/** Describes the open point behind a setting, and its default in each profile. */
function note<Value>(name: string, point: string): z.core.$ZodCheck<Value> {
  const [byDefault, formal] = [profiles.prose, profiles.formal].map(profile => valueText(Reflect.get(profile, name)))
  const inFormal = formal === byDefault ? '' : `, or ${formal} in the profile \`formal\``
  return z.describe(`${point} Default: ${byDefault}${inFormal}.`)
}

function valueText(value: unknown): string {
  const values = typeof value === 'object' && value !== null ? Object.values(value) : [value]
  return values.map(each => `\`${each}\``).join(', ')
}
