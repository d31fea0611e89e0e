import { checkLead, type LeadSubmission, proseInterpretation } from '@lead-distribution/contract'
import {
  type CallAttempt,
  type CallOptions,
  type ClientOptions,
  changedOptions,
  copyOptions,
  createHttpClient,
  knownInAddress,
  knownInCalls,
  knownInChanges,
  type Pace,
  type ServiceAddress,
  ValidationError,
} from '@lead-distribution/sdk-core'
import { assertConfig } from '@lead-distribution/sdk-core/errors'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'
import { jsonOf, notJson } from '../lead/validate-lead.ts'
import { submitMany } from './submit-many.ts'
import { isRejection, readSubmission, type SubmitResult } from './submit-result.ts'
import type { Leads, SubmitManyOptions, SubmitRun } from './submit-run.ts'

/** The options of {@link Publisher.withOptions}: all but the address of the service. @inline */
export type PublisherChanges = ClientOptions & {
  /** Checks a lead before it is sent; `false` leaves the check to the service. Default true. */
  validate?: boolean | undefined
}

/** The options of {@link createPublisher}. @interface */
export type PublisherOptions = PublisherChanges & ServiceAddress

/** The options of one submission. */
export interface SubmitOptions extends CallOptions {
  /** The `attempt` of an earlier submission of this lead whose outcome is unknown; `null` if there is none. */
  previousAttempt?: CallAttempt | null | undefined
}

const knownChanges = {
  ...knownInChanges,
  validate: 1,
} satisfies Known<PublisherChanges>
const knownOptions = { ...knownChanges, ...knownInAddress } satisfies Known<PublisherOptions>
const knownInSubmit = { ...knownInCalls, previousAttempt: 1 } satisfies Known<SubmitOptions>
const knownInSubmitMany = {
  ...knownInCalls,
  concurrency: 1,
  maxUnanswered: 1,
  onProgress: 1,
} satisfies Known<SubmitManyOptions>

/** A publisher's client. */
export interface Publisher {
  /**
   * Submits a lead. Returns the service's decision; throws errors.
   *
   * The SDK sends a lead again only if the service cannot have processed it (no connection, `429`). A lost reply is an
   * OutcomeUnknownError, because the service would reject a second submission as `customer_already_exists`.
   * @throws ValidationError the lead failed the check; nothing was sent.
   * @throws ConfigError the key is missing or belongs to another environment, or an option is unknown; nothing was sent.
   * @throws OutcomeUnknownError the reply was lost (a reset, a time-out, a `5xx`): the lead may exist.
   * @throws NotSentError no connection was established: it is safe to submit the lead again.
   * @throws AuthError the service refused the key (`401`, `403`).
   * @throws BadRequestError the service refused the request as malformed or invalid (`400`, `422` or another `4xx`).
   * @throws RateLimitError the service asked you to slow down (`429`), and the retries are used up.
   * @throws AbortedError your `signal` ended the call; with `sent: 'maybe'` the lead may exist.
   * @throws ProtocolError the response is not from this service: check the base URL.
   */ // Spec 4.1
  submit(lead: LeadSubmission, options?: SubmitOptions): Promise<SubmitResult>
  /**
   * Submits many leads, at most `concurrency` at once, and yields the result of each in the order of the source:
   * `for await (const each of publisher.submitMany(leads))`. An error of one lead is its `state` and doesn't stop the run.
   *
   * The run protects its leads. A `429` pauses all of it for as long as `Retry-After` says, and doesn't count as a retry
   * while the service takes other leads. An error that every lead would get, such as a wrong key, stops the run; so do
   * `maxUnanswered` leads in a row without a response. Then nothing more is sent: the rest of an array or another
   * synchronous iterable is yielded as `not_sent`; an async source is closed and keeps its leads.
   *
   * To submit a lead of unknown outcome again, pass it as `{ lead, previousAttempt }`. The run never repeats it by itself.
   *
   * The run takes a lead from the source only when there is room: it holds at most twice `concurrency` leads, in flight or
   * not read yet. If the source throws, its error is thrown unchanged once the requests in flight are done. If the run ends
   * while it waits for the source, the source is closed; a lead that it yields after that is lost.
   * @throws ConfigError `leads` is not iterable, or an option is unknown or out of range.
   */
  submitMany(leads: Leads, options?: SubmitManyOptions): SubmitRun
  /**
   * Creates a client with other options, which replace this client's own, `headers` by name. This client doesn't change.
   * Example: `publisher.withOptions({ headers: { 'x-sandbox-scenario': 'new' } })`
   * @throws ConfigError the options contradict each other, or one is unknown or out of range.
   */
  withOptions(changes: PublisherChanges): Publisher
}

/**
 * Creates a publisher's client. It sends nothing and reads no key before the first call.
 * @throws ConfigError the options contradict each other, one is unknown, or this is a browser.
 * @example
 * ```ts
 * import { createPublisher } from '@lead-distribution/publisher-sdk'
 *
 * const publisher = createPublisher({ tenant: 'acme', serviceDomain: 'leads.example' }) // LEAD_PUBLISHER_API_KEY
 * const { outcome } = await publisher.submit(lead)
 * ```
 */
export function createPublisher(given: PublisherOptions): Publisher {
  checkOptions('`createPublisher`', given, knownOptions)
  const options = copyOptions(given)
  const client = createHttpClient(options, 'LEAD_PUBLISHER_API_KEY')
  const { validate = true } = options
  assertConfig(typeof validate === 'boolean', '`validate` must be true or false.')

  async function submit(lead: LeadSubmission, submitOptions: SubmitOptions = {}, pace?: Pace): Promise<SubmitResult> {
    checkOptions('`submit`', submitOptions, knownInSubmit)
    const { previousAttempt } = submitOptions ?? {}
    assertConfig(
      previousAttempt == null || isAttempt(previousAttempt),
      '`previousAttempt` must be the `attempt` of an earlier error.',
    )
    const body = jsonOf(lead)
    if (body === undefined) throw new ValidationError([notJson])
    const issues = validate ? checkLead(JSON.parse(body), proseInterpretation) : []
    if (issues.length > 0) throw new ValidationError(issues)
    const result = await client.call({
      name: 'submitLead',
      method: 'POST',
      to: { path: '/lead' },
      body,
      withKey: true,
      isOutcome: isRejection,
      options: submitOptions,
      pace,
    })
    return readSubmission(result, previousAttempt != null)
  }

  // Not frozen, so that tests can spy on it.
  return {
    submit: (lead: LeadSubmission, submitOptions?: SubmitOptions) => submit(lead, submitOptions),
    submitMany(leads: Leads, manyOptions?: SubmitManyOptions) {
      checkOptions('`submitMany`', manyOptions, knownInSubmitMany)
      return submitMany(submit, leads, manyOptions && copyOptions(manyOptions), options.onEvent)
    },
    withOptions(changes: PublisherChanges) {
      checkOptions('`withOptions`', changes, knownChanges)
      return createPublisher(changedOptions(options, changes))
    },
  }
}

function isAttempt({ callId, at }: CallAttempt): boolean {
  return typeof callId === 'string' && typeof at === 'string'
}
