import type { LeadSubmission } from '@lead-distribution/contract'
import {
  type CallAttempt,
  type CallOptions,
  type ClientOptions,
  createCaller,
  ValidationError,
} from '@lead-distribution/sdk-core'
import { isRejection, readSubmission } from './read-submission.ts'
import type { SubmitResult } from './submit-result.ts'
import { createLeadValidator, type LeadReading } from './validate-lead.ts'

/** What {@link createPublisher} takes. */
export type PublisherOptions = ClientOptions & {
  /** How a lead is checked before it is sent; `false` leaves the check to the service. Default `prose`. */
  check?: LeadReading | false | undefined
}

/** What one submission takes. */
export interface SubmitOptions extends CallOptions {
  /** The `attempt` of an earlier submission of this lead whose outcome is unknown. */
  after?: CallAttempt | undefined
}

/** A publisher's client. */
export interface Publisher {
  /**
   * Submits a lead (Spec 4.1). What the service decided is returned; faults are thrown.
   *
   * It is sent again only where the service cannot have processed it (no connection, `429`). A lost reply is an
   * OutcomeUnknownError, for a second submission would be refused as `customer_already_exists`.
   * @throws ValidationError the lead fails the check; nothing was sent.
   * @throws ConfigError there is no key, or it is a sandbox key for production; nothing was sent.
   * @throws OutcomeUnknownError the reply was lost (a reset, a time-out, a `5xx`): the lead may exist.
   * @throws NotSentError, AuthError, BadRequestError, RateLimitError, AbortedError, ProtocolError
   */
  submit(lead: LeadSubmission, options?: SubmitOptions): Promise<SubmitResult>
}

/**
 * A publisher's client. Nothing is sent, and no key is read, before the first call.
 * @throws ConfigError the options contradict each other, or it runs in a browser.
 */
export function createPublisher(options: PublisherOptions): Publisher {
  const caller = createCaller(options, 'LEAD_PUBLISHER_API_KEY')
  const { check = 'prose' } = options
  const validate = check === false ? undefined : createLeadValidator(check)
  return Object.freeze({
    async submit(lead: LeadSubmission, submitOptions: SubmitOptions = {}) {
      const checked = validate?.(lead)
      if (checked?.valid === false) throw new ValidationError(checked.issues)
      const answered = await caller.call({
        name: 'submitLead',
        methods: ['POST'],
        to: { path: '/lead' },
        body: jsonOf(lead),
        withKey: true,
        answers: isRejection,
        options: submitOptions,
      })
      return readSubmission(answered, submitOptions.after !== undefined)
    },
  })
}

function jsonOf(lead: LeadSubmission): string {
  try {
    return JSON.stringify(lead)
  } catch {
    // A bigint or a circle; the runtime's own error may repeat what is in the lead.
    throw new ValidationError([{ field: 'body', issue: 'must be what JSON can carry' }])
  }
}
