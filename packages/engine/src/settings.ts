import type { ErrorCode, Interpretation } from '@lead-distribution/contract'
import * as z from 'zod/mini'
import { durationMs, durationPattern } from './duration.ts'

/** Bounded, because timers and dates hold no more. */
function durationUpTo(longest: string) {
  const error = `must be an ISO 8601 duration without months or years, such as PT60S, at most ${longest}`
  return z.string().check(
    z.regex(durationPattern, { error, abort: true }),
    z.refine(text => durationMs(text) <= durationMs(longest), { error }),
  )
}

export const duration = durationUpTo('P3650D')

/**
 * Every switch of what the specification leaves open, once; `docs/open-points.md` explains each.
 * The shape is strict: a name that is not here is a mistake, not a setting.
 */
export const settingsShape = z.strictObject({
  /** The profile that sets what is not set by itself. */
  profile: z.enum(['prose', 'formal']),
  /** Point 1 (Spec 2.3): is `customer.personal_data.gender` required? */
  gender: z.enum(['optional', 'required']),
  /** Point 2 (Spec 2.9 against 4.1): is `consents.metadata` required? */
  consent_metadata: z.enum(['optional', 'required']),
  /** Point 3 (Spec 4.1, 7 against 2.12): how consents not accepted and an unknown product are refused. */
  semantic_refusals: z.enum(['http_422', 'rejected_200']),
  /** Point 4 (Spec 4.2): the methods of the status update by body. */
  status_methods: z.array(z.enum(['POST', 'PATCH'])).check(
    z.maxLength(2),
    z.minLength(1, 'must name POST, PATCH or both'),
    z.refine(methods => new Set(methods).size === methods.length, 'must name each method once'),
  ),
  /** Point 5 (Spec 4.2): the values of the body form's `status`. */
  status_vocabulary: z.enum(['known', 'any']),
  /** Point 6 (Spec 6.1, 6.2): the name that a callback carries for an event. */
  callback_event_names: z.enum(['usage', 'enum', 'as_reported']),
  /** Point 7 (Spec 2.12): fields of a response that do not apply. */
  absent_fields: z.enum(['omit', 'null']),
  /** Point 8 (Spec 2.12, 8): how long after a rejection the same customer is a `duplicate_submission`. */
  duplicate_window: duration,
  /** Point 9 (Spec 6.2): after how long a failed callback is tried again, try by try. */
  callback_retries: z.array(duration).check(z.maxLength(50), z.meta({ 'x-ordered': true })),
  /** Point 10 (Spec 6.2): how long one try of a callback may take. */
  callback_timeout: durationUpTo('P1D'),
  /** Point 11 (Spec 5): hash, joiner and encoding of the pixel's token. */
  token_format: z.strictObject({
    hash: z.enum(['SHA-256', 'SHA-512']),
    joiner: z.string(),
    encoding: z.enum(['hex', 'base64url']),
  }),
  /** Point 13 (Spec 1, 3): how many advertisers get a lead. */
  distribution: z.enum(['first_accept', 'all_accepting']),
  /** Point 14 (Spec 6.2): what authenticates a callback; `standard_webhooks` is an extension of the sandbox. */
  callback_signature: z.enum(['none', 'standard_webhooks']),
})

export type Settings = z.output<typeof settingsShape> & Interpretation

/** Some of the switches: what a tenant sets by itself, above its profile. */
export type SettingsOverrides = { [Name in keyof Settings]?: Settings[Name] | undefined }

/** The recipe of the pixel's token. */
export type TokenFormat = Settings['token_format']

/** Another interpretation of an open point leads to another result: what works here may not work there. */
export interface PortabilityWarning {
  readonly switch: keyof Settings
  readonly interpretation: string
  readonly other_interpretation: string
  /** The other interpretation: it takes the input, or refuses it with an error code. */
  readonly would: 'accept' | ErrorCode
}
