import type { LeadSubmission } from '@lead-distribution/contract'
import {
  type CallAttempt,
  type CallOptions,
  type ClientOptions,
  changedOptions,
  createHttpClient,
  knownInAddress,
  knownInCalls,
  knownInChanges,
  type Pace,
  type SharedOptions,
  ValidationError,
} from '@lead-distribution/sdk-core'
import { assertConfig } from '@lead-distribution/sdk-core/errors'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'
import { createLeadValidator, knownInInterpretation, type LeadInterpretation } from '../lead/validate-lead.ts'
import { submitMany } from './submit-many.ts'
import { isRejection, readSubmission, type SubmitResult } from './submit-result.ts'
import type { LeadItem, Leads, SubmitManyOptions, SubmitRun } from './submit-run.ts'

/** What {@link createPublisher} takes. */
export type PublisherOptions = ClientOptions & {
  /** Whether a lead is checked before it is sent; `false` leaves the check to the service. Default true. */
  validate?: boolean | undefined
  /** How the check reads the specification where it contradicts itself. Default `prose`. */
  interpretation?: LeadInterpretation | undefined
}

/** What `withOptions` of a {@link Publisher} takes: every option but the address of the service. */
export type PublisherChanges = SharedOptions & Pick<PublisherOptions, 'validate' | 'interpretation'>

/** What one submission takes. */
export interface SubmitOptions extends CallOptions {
  /** The `attempt` of an earlier submission of this lead whose outcome is unknown; `null` means none. */
  previousAttempt?: CallAttempt | null | undefined
}

const knownChanges = {
  ...knownInChanges,
  validate: 1,
  interpretation: knownInInterpretation,
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
   * Submits a lead. The service's decision is returned; errors are thrown.
   *
   * It is sent again only where the service cannot have processed it (no connection, `429`). A lost reply is an
   * OutcomeUnknownError, for a second submission would be refused as `customer_already_exists`.
   * @throws ValidationError the lead fails the check; nothing was sent.
   * @throws ConfigError there is no key, it is a sandbox key for production, or an option is unknown; nothing was sent.
   * @throws OutcomeUnknownError the reply was lost (a reset, a time-out, a `5xx`): the lead may exist.
   * @throws NotSentError no connection came about: it is safe to submit again.
   * @throws AuthError the service refuses the key (`401`, `403`).
   * @throws BadRequestError the service refuses the lead as malformed, invalid or impossible (`400`, `422`, another `4xx`).
   * @throws RateLimitError the service asks to slow down (`429`), and the retries are used up.
   * @throws AbortedError your `signal` ended the call; with `sent: 'maybe'` the lead may exist.
   * @throws ProtocolError the reply is none of this service: check the base URL.
   */ // Spec 4.1
  submit(lead: LeadSubmission, options?: SubmitOptions): Promise<SubmitResult>
  /**
   * Submits many leads, at most `concurrency` at once, and gives the result of each in the order of the source:
   * `for await (const each of publisher.submitMany(leads))`. An error of one lead is its `state` and stops nothing.
   *
   * The run protects its leads. A `429` pauses all of it for as long as `Retry-After` says, and costs a lead no retry
   * while the service takes others. An error that every lead would get, such as a wrong key, stops the run; so do
   * `maxUnanswered` leads in a row without an answer. Then nothing more is sent: the rest of an array, or of another
   * iterable at hand, comes out as `not_sent`; an async source is closed, and keeps its leads.
   *
   * A lead of unknown outcome is submitted again as `{ lead, previousAttempt }`. The run never sends it again by itself.
   *
   * The run takes a lead from the source only where there is room for it: at most twice `concurrency` leads are held, in
   * flight or not read yet. What a source throws is thrown unchanged, after all that was in flight. A source that is waited
   * for when the run ends is closed; a lead that it gives after that is lost.
   * @throws ConfigError `leads` is not iterable, an option has no sensible value, or is unknown.
   */
  submitMany(leads: Iterable<LeadItem> | AsyncIterable<LeadItem>, options?: SubmitManyOptions): SubmitRun
  /**
   * A client with other options: those given here replace the client's own, `headers` name by name. This one stays as
   * it is. `publisher.withOptions({ headers: { 'x-sandbox-scenario': 'new' } })`
   * @throws ConfigError the options contradict each other, or one is unknown or has no sensible value.
   */
  withOptions(changes: PublisherChanges): Publisher
}

/**
 * A publisher's client. Nothing is sent, and no key is read, before the first call.
 * @throws ConfigError the options contradict each other, one is unknown, or it runs in a browser.
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
  const options = { ...given }
  const client = createHttpClient(options, 'LEAD_PUBLISHER_API_KEY')
  const { validate = true, interpretation } = options
  assertConfig(typeof validate === 'boolean', '`validate` must be true or false.')
  const validator = createLeadValidator(interpretation)

  async function submit(lead: LeadSubmission, submitOptions: SubmitOptions = {}, pace?: Pace): Promise<SubmitResult> {
    checkOptions('`submit`', submitOptions, knownInSubmit)
    const { previousAttempt } = submitOptions ?? {}
    assertConfig(
      previousAttempt == null || isAttempt(previousAttempt),
      '`previousAttempt` must be the `attempt` of an earlier error.',
    )
    const body = jsonOf(lead)
    // What is sent is checked: a `toJSON` or a getter may differ from what the object shows.
    const issues = validate && validator(JSON.parse(body)).issues
    if (issues) throw new ValidationError(issues)
    const answered = await client.call({
      name: 'submitLead',
      method: 'POST',
      to: { path: '/lead' },
      body,
      withKey: true,
      isOutcome: isRejection,
      options: submitOptions,
      pace,
    })
    return readSubmission(answered, previousAttempt != null)
  }

  // Not frozen, so that tests can spy on it.
  return {
    submit: (lead: LeadSubmission, submitOptions?: SubmitOptions) => submit(lead, submitOptions),
    submitMany(leads: Leads, manyOptions?: SubmitManyOptions) {
      checkOptions('`submitMany`', manyOptions, knownInSubmitMany)
      return submitMany(submit, leads, manyOptions, options.onEvent)
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

function jsonOf(lead: LeadSubmission): string {
  let text: string | undefined
  try {
    text = JSON.stringify(lead)
  } catch {
    // A bigint, a circle, a getter that throws; the runtime's own error may repeat what is in the lead.
  }
  if (text === undefined) throw new ValidationError([{ field: 'body', issue: 'must be what JSON can carry' }])
  return text
}
