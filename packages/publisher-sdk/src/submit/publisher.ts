import { checkLead, type LeadSubmission, proseInterpretation } from '@lead-distribution/contract'
import {
  type CallOptions,
  type ClientOptions,
  changedOptions,
  createHttpClient,
  environmentVariable,
  knownInAddress,
  knownInCalls,
  knownInChanges,
  OutcomeUnknownError,
  type ServiceAddress,
  ValidationError,
} from '@lead-distribution/sdk-core'
import { assertConfig } from '@lead-distribution/sdk-core/errors'
import { checkOptions, copyOptions, type Known } from '@lead-distribution/sdk-core/options'
import { jsonOf, notJson } from '../lead/validate-lead.ts'
import { isRejection, readSubmission, type SubmitResult } from './submit-result.ts'

/** The options of {@link Publisher.withOptions}: all but the service's address. @inline */
export type PublisherChanges = ClientOptions & {
  /** The `publisher_id` for leads that have none, a UUID. Default: the environment variable `PUBLISHER_ID`. */
  publisherId?: string | undefined
  /** Validates each lead before sending it; `false` leaves that to the service. Default true. */
  validate?: boolean | undefined
}

/**
 * The options of {@link createPublisher}. @interface
 * @category Options
 */
export type PublisherOptions = PublisherChanges & ServiceAddress

/**
 * A lead to submit. `publisher_id` is optional if the client has one.
 * @category Leads
 */ // Spec 2.1
export interface Lead extends Omit<LeadSubmission, 'publisher_id'> {
  /** Id of the publisher, a UUID. Default: the client's `publisherId`, or the environment variable `PUBLISHER_ID`. */
  publisher_id?: string | undefined
}

/**
 * The options for one submission.
 * @category Options
 */
export interface SubmitOptions extends CallOptions {
  /** True if this lead was submitted before with an unknown outcome; see `possiblyOwnLead`. Default false. */
  resubmission?: boolean | undefined
}

const knownChanges = {
  ...knownInChanges,
  publisherId: 1,
  validate: 1,
} satisfies Known<PublisherChanges>
const knownOptions = { ...knownChanges, ...knownInAddress } satisfies Known<PublisherOptions>
const knownInSubmit = { ...knownInCalls, resubmission: 1 } satisfies Known<SubmitOptions>

/**
 * A client for publishers.
 * @category Client
 */
export interface Publisher {
  /**
   * Submits a lead. Returns the outcome: the service's decision, or `unknown` if the reply was lost (a reset, a
   * time-out, a `5xx`). Throws only if no lead was created, or if your `signal` aborts the call.
   *
   * The SDK retries only if the service cannot have processed the lead (no connection, `429`), because the service would
   * reject a second submission as `customer_already_exists`.
   * @throws ValidationError the lead is invalid; nothing was sent.
   * @throws ConfigError the key is missing or belongs to another environment, or an option is invalid; nothing was
   * sent.
   * @throws NotSentError no connection was established; it is safe to submit the lead again.
   * @throws AuthError the service refused the key (`401`, `403`).
   * @throws BadRequestError the service refused the request as malformed or invalid (`400`, `422` or another `4xx`).
   * @throws RateLimitError rate limited (`429`), and retries are exhausted.
   * @throws AbortedError your `signal` aborted the call; with `sent: 'maybe'` the lead may exist.
   * @throws ProtocolError the response is not from this service; check the base URL.
   */ // Spec 4.1
  submit(lead: Lead, options?: SubmitOptions): Promise<SubmitResult>
  /**
   * Creates a client with changed options; `headers` are merged by name. This client stays unchanged.
   * Example: `publisher.withOptions({ headers: { 'x-sandbox-scenario': 'new' } })`
   * @throws ConfigError the options contradict each other, or one is unknown or out of range.
   */
  withOptions(changes: PublisherChanges): Publisher
}

/**
 * Creates a client for publishers. Options that you leave out are read from the environment variables `LEAD_BASE_URL`,
 * `LEAD_PUBLISHER_API_KEY` and `PUBLISHER_ID`. Nothing is sent and no key is read before the first call.
 * @throws ConfigError the options contradict each other, one is unknown or invalid, there is no base URL, or the code
 * runs in a browser.
 * @example
 * ```ts
 * import { createPublisher } from '@lead-distribution/publisher-sdk'
 *
 * const publisher = createPublisher() // LEAD_BASE_URL, LEAD_PUBLISHER_API_KEY, PUBLISHER_ID
 * const { outcome } = await publisher.submit(lead)
 * ```
 * @category Client
 */
export function createPublisher(options: PublisherOptions = {}): Publisher {
  checkOptions('`createPublisher`', options, knownOptions)
  const own = copyOptions(options)
  const client = createHttpClient(own, 'LEAD_PUBLISHER_API_KEY')
  const { publisherId, validate = true } = own
  assertConfig(typeof validate === 'boolean', '`validate` must be true or false.')
  assertConfig(
    publisherId === undefined || (typeof publisherId === 'string' && publisherId !== ''),
    '`publisherId` must be a UUID.',
  )

  // Not frozen, so that tests can spy on it.
  return {
    async submit(lead: Lead, submitOptions: SubmitOptions = {}) {
      checkOptions('`submit`', submitOptions, knownInSubmit)
      const { resubmission = false } = submitOptions ?? {}
      assertConfig(typeof resubmission === 'boolean', '`resubmission` must be true or false.')
      const { body, sent } = wireLead(lead, publisherId)
      const issues = validate ? checkLead(sent, proseInterpretation) : []
      if (issues.length > 0) throw new ValidationError(issues)
      try {
        const result = await client.call({
          name: 'submitLead',
          method: 'POST',
          to: { path: '/lead' },
          body,
          withKey: true,
          isOutcome: isRejection,
          options: submitOptions,
        })
        return readSubmission(result, resubmission)
      } catch (error) {
        if (!OutcomeUnknownError.is(error) || !error.meta) throw error
        return { outcome: 'unknown', error, meta: error.meta } as const
      }
    },
    withOptions(changes: PublisherChanges) {
      checkOptions('`withOptions`', changes, knownChanges)
      return createPublisher(changedOptions(own, changes))
    },
  }
}

/**
 * Returns a lead's JSON and its parsed value, with the client's `publisher_id` if the lead has none.
 * @throws ValidationError JSON cannot represent it.
 */
function wireLead(lead: Lead, publisherId: string | undefined): { body: string; sent: unknown } {
  const body = jsonOf(lead)
  if (body === undefined) throw new ValidationError([notJson])
  const sent: unknown = JSON.parse(body)
  const isObject = typeof sent === 'object' && sent !== null && !Array.isArray(sent)
  if (!isObject || 'publisher_id' in sent) return { body, sent }
  const publisher_id = publisherId ?? environmentVariable('PUBLISHER_ID')
  if (publisher_id === undefined) return { body, sent }
  const own = { ...sent, publisher_id }
  return { body: JSON.stringify(own), sent: own }
}
