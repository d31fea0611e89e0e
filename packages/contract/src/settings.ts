import * as z from 'zod/mini'
import { knownStatuses } from './events.ts'
import { duration, durationUpTo } from './format-shapes.ts'
import { formalInterpretation, proseInterpretation } from './lead/limits.ts'
import { usualTokenFormat } from './lead-token.ts'

// The one place of a setting: its default in each profile, its shape, and its note, which the OpenAPI document shows and the
// console's forms show as a hint. `docs/open-points.md` has the same sentences.

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

/** The settings of each profile: the specification's prose and quick start, which is the default; its formal schema. */
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

/** The recipe of the token in a postback URL. */
export const tokenFormat = z.strictObject({
  hash: z.enum(['SHA-256', 'SHA-512']).check(z.describe('The hash of the HMAC.')),
  joiner: z.string().check(z.describe('The text between the id of the lead and that of the advertiser. May be empty.')),
  encoding: z.enum(['hex', 'base64url']).check(z.describe('The encoding of the HMAC.')),
})

/** An event that the simulated advertiser reports by itself. */
export const scheduledEvent = z.strictObject({
  event: z.enum(knownStatuses as [string, ...string[]]).check(z.describe('The event, by its name in either list.')),
  after: duration.check(z.describe("The time from the lead's arrival to the report, on the tenant's clock.")),
})

/** Every setting of an account. The shape is strict: a name that is not here is a mistake, not a setting. */
export const settings = z.strictObject({
  profile: z
    .enum(['prose', 'formal'])
    .check(
      z.describe(
        'Sets every setting that is not set by itself: by the prose of the specification, or by its formal schema.',
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
      note(
        'consent_metadata',
        'The formal schema requires how the consents were collected; the list of required fields does not.',
      ),
    ),
  /** Point 3 (Spec 4.1, 7 against 2.12). */
  semantic_refusals: z
    .enum(['http_422', 'rejected_200'])
    .check(
      note(
        'semantic_refusals',
        'Missing consents and an unknown product are a `422` in one place and a rejection reason in another.',
      ),
    ),
  /** Point 4 (Spec 4.2): the methods of the status update by body. */
  status_methods: z.array(z.enum(['POST', 'PATCH'])).check(
    z.maxLength(2),
    z.minLength(1, 'must name POST, PATCH or both'),
    z.refine(methods => new Set(methods).size === methods.length, 'must name each method once'),
    note('status_methods', 'The reference of the status update shows `POST`, the page on authentication says `PATCH`.'),
  ),
  /** Point 5 (Spec 4.2): the values of the body form's `status`. */
  status_vocabulary: z
    .enum(['known', 'any'])
    .check(note('status_vocabulary', 'Only `converted` is shown as a status of the update by body.')),
  /** Point 6 (Spec 6.1, 6.2): the name that a callback carries for an event. */
  callback_event_names: z
    .enum(['usage', 'enum', 'as_reported'])
    .check(note('callback_event_names', 'There are two lists of event names; the callback examples use the second.')),
  /** Point 7 (Spec 2.12). */
  absent_fields: z
    .enum(['omit', 'null'])
    .check(note('absent_fields', 'A field of the response that does not apply may be absent or null.')),
  /** Point 8 (Spec 2.12, 8): how long after a rejection the same customer is a `duplicate_submission`. */
  duplicate_window: duration.check(note('duplicate_window', 'How soon is too soon for `duplicate_submission`?')),
  /** Point 9 (Spec 6.2): the wait before each retry of a failed callback. */
  callback_retries: z
    .array(duration)
    .check(
      z.maxLength(50),
      z.meta({ 'x-ordered': true }),
      note('callback_retries', 'Does the service retry a callback that fails?'),
    ),
  /** Point 10 (Spec 6.2): how long one attempt of a callback may take. */
  callback_timeout: durationUpTo('P1D').check(
    note(
      'callback_timeout',
      'How long may the publisher take to respond? Any `2xx` is a delivery; anything else, a redirect too, is a failed attempt.',
    ),
  ),
  /** Point 11 (Spec 5). */
  token_format: tokenFormat.check(
    note('token_format', 'The token is an HMAC over lead and advertiser: which hash, which joiner, which encoding?'),
  ),
  /** Point 13 (Spec 1, 3). */
  distribution: z
    .enum(['first_accept', 'all_accepting'])
    .check(note('distribution', 'Does one advertiser get a lead, or every one that accepts it?')),
  /** Point 14 (Spec 6.2); `standard_webhooks` is an extension of the sandbox. */
  callback_signature: z
    .enum(['none', 'standard_webhooks'])
    .check(note('callback_signature', 'Nothing authenticates a callback.')),
  lifecycle: z
    .array(scheduledEvent)
    .check(
      z.maxLength(50),
      z.describe('The events that the simulated advertiser reports by itself, and how long after its lead arrives.'),
    ),
  journal_bodies: z
    .enum(['full', 'masked', 'off'])
    .check(
      z.describe(
        'The content of the newest 200 calls that the journal keeps, at most 16,384 characters of each body: `full`, as it was sent, so that a call can be sent again; `masked`, without personal data; or none. `full` is for a sandbox that `lead-sandbox start` runs for this machine alone. `masked` removes what `full` has kept, and `off` everything, at the next call.',
      ),
    ),
})

/** Every setting of an account. */
export type Settings = z.output<typeof settings>

/** Some settings: those that an account sets by itself, which override its profile. */
export const settingsChange = z.partial(settings)

/** Some settings: those that an account sets by itself, which override its profile. */
export type SettingsChange = z.output<typeof settingsChange>

/** Resolves the settings of an account: its own, and its profile for the rest. */
export function resolveSettings(own: SettingsChange): Settings {
  const set = Object.entries(own).filter(([, value]) => value !== undefined)
  return { ...profiles[own.profile ?? 'prose'], ...Object.fromEntries(set) }
}

/** Notes the open point of the specification behind a setting, and its default in each profile. */
function note<Value>(name: string, point: string): z.core.$ZodCheck<Value> {
  const [byDefault, formal] = [profiles.prose, profiles.formal].map(profile => valueText(Reflect.get(profile, name)))
  const inFormal = formal === byDefault ? '' : `, or ${formal} in the profile \`formal\``
  return z.describe(`${point} Default: ${byDefault}${inFormal}.`)
}

function valueText(value: unknown): string {
  const values = typeof value === 'object' && value !== null ? Object.values(value) : [value]
  return values.map(each => `\`${each}\``).join(', ')
}
