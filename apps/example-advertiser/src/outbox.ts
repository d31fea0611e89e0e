import {
  type Advertiser,
  AuthError,
  ConfigError,
  LeadSdkError,
  type LeadSdkErrorCode,
} from '@lead-distribution/advertiser-sdk'
import type { LoanStore, PendingReport } from './loan-store.ts'

/** Writes a line to the log. No line holds a postback URL, a token or a key. */
export type Log = (line: string) => void

/** What the outbox works with. */
export interface OutboxOptions {
  loans: LoanStore
  advertiser: Advertiser
  log: Log
}

/** Errors that stay the same, however often the report is sent: your staff has to look. */
const finalErrors: readonly string[] = ['auth', 'bad_request', 'config', 'validation'] satisfies LeadSdkErrorCode[]

/** Whether another try does not help. */
export function isFinal(error: string | null): error is string {
  return error !== null && finalErrors.includes(error)
}

/** Reports what is in the outbox, until the service has it. */
export function createOutbox({ loans, advertiser, log }: OutboxOptions) {
  let last = Promise.resolve()

  async function report({ lead_id, event, ref, postback_url, amount, term_months }: PendingReport) {
    try {
      return await advertiser.fire(advertiser.parsePostbackUrl(postback_url), { event, ref })
    } catch (error) {
      // The URL or its token is not accepted: the key reports the same. The service takes both for one event.
      if (!(ConfigError.is(error) || AuthError.is(error))) throw error
      const figures = { ...(amount !== null && { amount }), ...(term_months !== null && { term_months }) }
      return await advertiser.reportStatus(lead_id, { status: event, metadata: figures })
    }
  }

  async function flush(refusedToo: boolean): Promise<void> {
    const stuck = new Set<string>()
    for (const pending of loans.pending()) {
      const { id, lead_id, event, error: lastError } = pending
      // The events of a loan are reported in their order.
      if (stuck.has(lead_id) || (isFinal(lastError) && !refusedToo)) {
        stuck.add(lead_id)
        continue
      }
      try {
        const { outcome } = await report(pending)
        // `received`, or `ignored`: known already, from a try whose reply was lost.
        loans.reported(id, outcome)
        log(`lead ${lead_id}: ${event} ${outcome}`)
      } catch (error) {
        if (!LeadSdkError.is(error)) throw error
        loans.failed(id, error.code)
        stuck.add(lead_id)
        const now = isFinal(error.code) ? 'was refused, and waits for your staff' : 'stays in the outbox'
        log(`lead ${lead_id}: ${event} ${now}, ${error.code}`)
      }
    }
  }

  return {
    /**
     * Reports everything that is pending; what does not come through stays. What was refused waits until your staff asks
     * for it too. One run at a time. Rejects where the store does.
     */
    flush(refusedToo = false): Promise<void> {
      last = last.catch(() => {}).then(() => flush(refusedToo))
      return last
    },
  }
}

/** Reports what is in the outbox. */
export type Outbox = ReturnType<typeof createOutbox>
