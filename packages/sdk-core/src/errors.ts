import { docUrl, errorCodeDocUrl, type FieldIssue } from '@lead-distribution/contract'

// Symbol.for, because two packages may bundle two copies of a class, which breaks `instanceof`.
const brand: unique symbol = Symbol.for('@lead-distribution/sdk-error')

/** Returns the code of a caught value; undefined if it is not an error of the SDKs. */
function codeOf(value: unknown): LeadSdkError['code'] | undefined {
  return typeof value === 'object' && value !== null ? (value as { [brand]?: LeadSdkError['code'] })[brand] : undefined
}

/**
 * The facts of a call, whatever its result. Never holds a key, token or body.
 * @category Client
 */
export interface CallMeta {
  /** HTTP status of the last response; null if there was none. */
  status: number | null
  /** The loggable headers of the last response, names in lower case, without those that repeat sent data. */
  headers: Readonly<Record<string, string>>
  /** The number of attempts. */
  attempts: number
  /** Id of the call: a UUID made by the SDK, the same in its events and in `x-request-id`. */
  callId: string
  /** Duration of the whole call, in milliseconds. */
  ms: number
}

/** The fields of every SDK error besides its message. */
export interface ErrorFacts {
  sent: LeadSdkError['sent']
  retryable: boolean
  meta?: CallMeta | undefined
}

/**
 * The base class of every SDK error. Rejections are returned, never thrown. No error holds a key, token, secret, body
 * or `cause`, so errors are safe to log.
 * @example
 * ```ts
 * import { LeadSdkError } from '@lead-distribution/publisher-sdk'
 *
 * try {
 *   await publisher.submit(lead)
 * } catch (error) {
 *   if (!LeadSdkError.is(error)) throw error
 *   report({ code: error.code, sent: error.sent, retryable: error.retryable })
 * }
 * ```
 * @category Errors
 */
export abstract class LeadSdkError extends Error {
  /** The kind of the error, one for each class; `switch` on it. */
  abstract readonly code:
    | 'config'
    | 'validation'
    | 'bad_request'
    | 'auth'
    | 'rate_limit'
    | 'server'
    | 'not_sent'
    | 'outcome_unknown'
    | 'aborted'
    | 'protocol'
  /**
   * How far the request got. `no`: it was not processed, so you may send it again. `maybe`: it may have been processed.
   * `yes`: the service responded.
   */
  readonly sent: 'no' | 'maybe' | 'yes'
  /** True if the same call may succeed later and repeating it does no harm. */
  readonly retryable: boolean
  /** The facts of the call; absent if no call was made. */
  declare readonly meta?: CallMeta // Only declared: a real field would be printed as undefined.

  constructor(message: string, facts: ErrorFacts) {
    super(message)
    this.sent = facts.sent
    this.retryable = facts.retryable
    if (facts.meta) this.meta = facts.meta
  }

  /** The code, readable across copies of the package. @hidden */
  get [brand](): LeadSdkError['code'] {
    return this.code
  }

  /** The URL of this error's documentation page. */
  get docUrl(): string {
    return docUrl('sdk', this.code)
  }

  /** Returns the fields for a structured log. */
  toJSON(): Record<string, unknown> {
    return { message: this.message, docUrl: this.docUrl, ...(this as object) }
  }

  /** Returns true if a caught value is an error of either SDK, from any copy of the package. */
  static is(value: unknown): value is LeadSdkError {
    return codeOf(value) !== undefined
  }
}

/**
 * An option or argument is invalid, or the API key is missing. Nothing was sent. Correct the code or the environment.
 * @example
 * ```ts
 * import { ConfigError } from '@lead-distribution/publisher-sdk'
 *
 * try {
 *   await publisher.submit(lead)
 * } catch (error) {
 *   if (!ConfigError.is(error)) throw error
 *   report(error.message) // says what to correct
 * }
 * ```
 * @category Errors
 */
export class ConfigError extends LeadSdkError {
  override readonly name = 'ConfigError'
  readonly code = 'config'

  constructor(message: string) {
    super(message, { sent: 'no', retryable: false })
  }

  /** Returns true if a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is ConfigError {
    return codeOf(value) === 'config'
  }
}

/** @throws ConfigError if the condition is false. */
export function assertConfig(condition: unknown, message: string): asserts condition {
  if (!condition) throw new ConfigError(message)
}

/**
 * The input failed validation. Nothing was sent. Correct the fields that `issues` names; the service would report the
 * same issues in its `details`.
 * @example
 * ```ts
 * import { ValidationError } from '@lead-distribution/publisher-sdk'
 *
 * try {
 *   await publisher.submit(lead)
 * } catch (error) {
 *   if (!ValidationError.is(error)) throw error
 *   report(error.issues) // [{ field: 'product_data.loan_amount', issue: 'must be at least 500' }]
 * }
 * ```
 * @category Errors
 */ // Spec 2.13
export class ValidationError extends LeadSdkError {
  override readonly name = 'ValidationError'
  readonly code = 'validation'
  /** One issue per field. Issues never repeat a value. */
  readonly issues: readonly FieldIssue[]

  constructor(issues: readonly FieldIssue[]) {
    super(`Nothing was sent: correct ${fieldNames(issues)}. See \`issues\`.`, { sent: 'no', retryable: false })
    this.issues = issues
  }

  /** Returns true if a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is ValidationError {
    return codeOf(value) === 'validation'
  }
}

/**
 * The service refused the request as invalid (`400`, `404`, `422` or another `4xx`). It was not processed, and a retry
 * gets the same response.
 * @example
 * ```ts
 * import { BadRequestError } from '@lead-distribution/publisher-sdk'
 *
 * try {
 *   await publisher.submit(lead)
 * } catch (error) {
 *   if (!BadRequestError.is(error)) throw error
 *   report(error.details.map(({ field }) => field))
 * }
 * ```
 * @category Errors
 */ // Spec 7
export class BadRequestError extends LeadSdkError {
  override readonly name = 'BadRequestError'
  readonly code = 'bad_request'
  /** The service's error code, such as `validation_error`; null if the response has none. */
  readonly error: string | null
  readonly #details: readonly FieldIssue[]

  constructor(message: string, facts: ErrorFacts, error: string | null, details: readonly FieldIssue[]) {
    super(message, facts)
    this.error = error
    this.#details = details
  }

  /**
   * The service's issues, one per field. The service writes their texts, which may repeat sent data, so a log shows
   * them only if your code reads `details` by name.
   */ // Spec 2.13
  get details(): readonly FieldIssue[] {
    return this.#details
  }

  /**
   * The URL of the documentation page of the service's error code, or of this error if the code is missing or unknown.
   */
  override get docUrl(): string {
    return errorCodeDocUrl(this.error) ?? super.docUrl
  }

  /** Returns true if a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is BadRequestError {
    return codeOf(value) === 'bad_request'
  }
}

/**
 * The service refused the API key or the postback URL's token (`401`, `403`). Nothing was processed.
 * @example
 * ```ts
 * import { AuthError } from '@lead-distribution/publisher-sdk'
 *
 * try {
 *   await publisher.submit(lead)
 * } catch (error) {
 *   if (!AuthError.is(error)) throw error
 *   report('Check LEAD_PUBLISHER_API_KEY, and that it belongs to this environment.')
 * }
 * ```
 * @category Errors
 */ // Spec 5
export class AuthError extends LeadSdkError {
  override readonly name = 'AuthError'
  readonly code = 'auth'

  /** Returns true if a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is AuthError {
    return codeOf(value) === 'auth'
  }
}

/**
 * Rate limited (`429`), with no retries left. Nothing was processed.
 * @example
 * ```ts
 * import { RateLimitError } from '@lead-distribution/publisher-sdk'
 *
 * try {
 *   await publisher.submit(lead)
 * } catch (error) {
 *   if (!RateLimitError.is(error)) throw error
 *   await pause(error.retryAfterMs ?? 60_000)
 * }
 * ```
 * @category Errors
 */
export class RateLimitError extends LeadSdkError {
  override readonly name = 'RateLimitError'
  readonly code = 'rate_limit'
  /** The delay that the service asks for, in milliseconds, at most 2147483647; null if the response names none. */
  readonly retryAfterMs: number | null

  constructor(message: string, facts: ErrorFacts, retryAfterMs: number | null) {
    super(message, facts)
    this.retryAfterMs = retryAfterMs
  }

  /** Returns true if a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is RateLimitError {
    return codeOf(value) === 'rate_limit'
  }
}

/**
 * The service failed (`5xx`) on a call that is safe to retry, with no retries left. Never thrown by a submission: its
 * outcome is `unknown`.
 * @example
 * ```ts
 * import { ServerError } from '@lead-distribution/advertiser-sdk'
 *
 * try {
 *   await advertiser.reportStatus(lead_id, { status: 'approved' })
 * } catch (error) {
 *   if (!ServerError.is(error)) throw error
 *   await store({ lead_id, status: 'approved' }) // report it later
 * }
 * ```
 * @category Errors
 */
export class ServerError extends LeadSdkError {
  override readonly name = 'ServerError'
  readonly code = 'server'

  /** Returns true if a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is ServerError {
    return codeOf(value) === 'server'
  }
}

/**
 * The request never reached the service: the connection was refused or not established in time, the host is unknown, or
 * its certificate is not trusted. You can safely send it again.
 * @example
 * ```ts
 * import { NotSentError } from '@lead-distribution/publisher-sdk'
 *
 * try {
 *   await publisher.submit(lead)
 * } catch (error) {
 *   if (!NotSentError.is(error)) throw error
 *   await store(lead) // safe to submit again
 * }
 * ```
 * @category Errors
 */
export class NotSentError extends LeadSdkError {
  override readonly name = 'NotSentError'
  readonly code = 'not_sent'

  /** Returns true if a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is NotSentError {
    return codeOf(value) === 'not_sent'
  }
}

/**
 * The reply was lost after the request was sent, so the service may have processed it. A publisher's `submit` returns
 * this error as the `error` of the outcome `unknown`. An advertiser's calls, which are safe to retry, throw it after
 * the last retry.
 * @example
 * ```ts
 * import { OutcomeUnknownError } from '@lead-distribution/advertiser-sdk'
 *
 * try {
 *   await advertiser.reportStatus(lead_id, { status: 'approved' })
 * } catch (error) {
 *   if (!OutcomeUnknownError.is(error)) throw error
 *   await store({ lead_id, status: 'approved' }) // safe to repeat later
 * }
 * ```
 * @category Errors
 */
export class OutcomeUnknownError extends LeadSdkError {
  override readonly name = 'OutcomeUnknownError'
  readonly code = 'outcome_unknown'
  /** Id of the call, a UUID made by the SDK and sent as `x-request-id`. */
  readonly callId: string
  /** The time when the call started, RFC 3339 in UTC. */
  readonly at: string

  constructor(message: string, facts: ErrorFacts, { callId, at }: { callId: string; at: string }) {
    super(message, facts)
    this.callId = callId
    this.at = at
  }

  /** Returns true if a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is OutcomeUnknownError {
    return codeOf(value) === 'outcome_unknown'
  }
}

/**
 * Your `AbortSignal` aborted the call. With `sent: 'maybe'` the request was in flight, and its outcome is unknown.
 * @example
 * ```ts
 * import { AbortedError } from '@lead-distribution/publisher-sdk'
 *
 * try {
 *   await publisher.submit(lead, { signal: AbortSignal.timeout(2000) })
 * } catch (error) {
 *   if (!AbortedError.is(error)) throw error
 *   if (error.sent === 'maybe') await store(lead) // the lead may exist: resubmit only with `resubmission: true`
 * }
 * ```
 * @category Errors
 */
export class AbortedError extends LeadSdkError {
  override readonly name = 'AbortedError'
  readonly code = 'aborted'

  /** Returns true if a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is AbortedError {
    return codeOf(value) === 'aborted'
  }
}

/**
 * The response is not one that the service sends, such as a redirect. Another server probably responded: check the base
 * URL.
 * @example
 * ```ts
 * import { ProtocolError } from '@lead-distribution/publisher-sdk'
 *
 * try {
 *   await publisher.submit(lead)
 * } catch (error) {
 *   if (!ProtocolError.is(error)) throw error
 *   report(error.message) // `baseUrl` probably points at another server
 * }
 * ```
 * @category Errors
 */
export class ProtocolError extends LeadSdkError {
  override readonly name = 'ProtocolError'
  readonly code = 'protocol'

  /** Returns true if a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is ProtocolError {
    return codeOf(value) === 'protocol'
  }
}

const maxNames = 5

// A response may contain anything in `field`; the message repeats only paths that begin with a field of a request.
const path =
  /^(body|product_id|publisher_id|customer|product_data|consents|tracking|lead_id|status|advertiser_id|metadata|token|event|ref)(\.\w{1,40}){0,6}$/

/** Lists the fields of the issues for a message, at most five by name. */
export function fieldNames(issues: readonly FieldIssue[]): string {
  const names = [...new Set(issues.map(issue => issue.field).filter(name => path.test(name)))]
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : ''
  return `${names.slice(0, maxNames).join(', ') || 'the request'}${more}`
}
