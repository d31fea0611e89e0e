import {
  BadRequestError,
  type FieldIssue,
  isOutcomeUnknown,
  LeadSdkError,
  type LeadSubmission,
  type Publisher,
  type SubmitResult,
  ValidationError,
} from '@lead-distribution/publisher-sdk'
import type { Application, Applications } from './application-store.ts'

/** Writes a line to the log. No line holds a customer's data, a key or a secret. */
export type Log = (line: string) => void

export interface Sending {
  publisher: Publisher
  applications: Applications
  log: Log
}

/** Sends applications, each only once at a time, and stores the outcome. */
export function createSender(sending: Sending) {
  const { publisher, applications, log } = sending
  const underWay = new Map<string, Promise<readonly FieldIssue[]>>()

  async function submit({ id, lead, attempt }: Pick<Application, 'id' | 'lead' | 'attempt'>) {
    let result: SubmitResult
    try {
      result = await publisher.submit(lead, { previousAttempt: attempt })
    } catch (error) {
      return keepError(sending, id, error)
    }
    const { lead_id } = result
    switch (result.outcome) {
      case 'distributed':
        applications.settle(id, { state: 'distributed', lead_id, redirect_url: result.redirect_url })
        break
      case 'new':
      case 'unrecognized':
        applications.settle(id, { state: result.outcome, lead_id })
        break
      case 'rejected':
        // The existing lead is probably the one whose reply was lost. Its callback will prove that; this rejection does not.
        if (result.mayBeOwnEarlierAttempt) applications.settle(id, { state: 'unknown', attempt })
        else applications.settle(id, { state: 'rejected', lead_id })
        break
    }
    log(`application ${id}: ${result.outcome}, lead ${lead_id ?? 'none'}`)
    return []
  }

  function once(id: string, send: () => Promise<readonly FieldIssue[]>): Promise<readonly FieldIssue[]> {
    const started = underWay.get(id) ?? send().finally(() => underWay.delete(id))
    underWay.set(id, started)
    return started
  }

  return {
    /** Stores an application and sends it, once. Returns what the customer must correct, usually nothing. */
    send(id: string, lead: LeadSubmission): Promise<readonly FieldIssue[]> {
      return once(id, async () => (applications.begin(id, lead) ? submit({ id, lead, attempt: null }) : []))
    },
    /** Waits until an application is no longer in flight. Returns what `send` returns. */
    async settled(id: string): Promise<readonly FieldIssue[]> {
      return (await underWay.get(id)) ?? []
    },
    /** Sends a waiting application, or one of unknown outcome, again. */
    async sendAgain(id: string): Promise<void> {
      await once(id, async () => {
        const application = applications.find(id)
        return application && applications.resume(id) ? submit(application) : []
      })
    },
    /** Sends every waiting application again. A person decides about those of unknown outcome. */
    async sendWaiting(): Promise<void> {
      for (const { id, state } of applications.list()) if (state === 'waiting') await this.sendAgain(id)
    },
  }
}

/** Stores the outcome of a failed submission. Returns what the customer must correct. */
function keepError(sending: Sending, id: string, error: unknown): readonly FieldIssue[] {
  const { applications, log } = sending
  if (!LeadSdkError.is(error)) throw error
  log(`application ${id}: no answer, ${error.code}`)
  // The service may have it. A blind repeat would be rejected, because the customer already exists.
  if (isOutcomeUnknown(error)) applications.settle(id, { state: 'unknown', attempt: error.attempt })
  else applications.settle(id, { state: 'waiting' })
  return ValidationError.is(error) ? error.issues : BadRequestError.is(error) ? error.details : []
}

export type Sender = ReturnType<typeof createSender>
