import {
  type Advertiser,
  AuthError,
  ConfigError,
  LeadSdkError,
  type LeadSdkErrorCode,
} from '@lead-distribution/advertiser-sdk'
import type { LoanBook, PendingReport } from './loan-book.ts'

/** Writes a line to the log. No line holds a postback URL, a token or a key. */
export type Log = (line: string) => void

/** What the outbox works with. */
export interface OutboxOptions {
  book: LoanBook
  advertiser: Advertiser
  log: Log
}

/** Faults that stay what they are, however often the same is sent: somebody has to look. */
const finalFaults: readonly string[] = ['auth', 'bad_request', 'config', 'validation'] satisfies LeadSdkErrorCode[]

/** Whether a fault is one that another try does not mend. */
export function isFinal(fault: string | null): fault is string {
  return fault !== null && finalFaults.includes(fault)
}

/** Tells the service what stands in the outbox, until it has it. */
export function createOutbox({ book, advertiser, log }: OutboxOptions) {
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
    for (const pending of book.pending()) {
      const { id, lead_id, event, fault } = pending
      // The events of a loan are told in their order.
      if (stuck.has(lead_id) || (isFinal(fault) && !refusedToo)) {
        stuck.add(lead_id)
        continue
      }
      try {
        const { outcome } = await report(pending)
        // `received`, or `ignored`: known already, from a try whose reply was lost.
        book.reported(id, outcome)
        log(`lead ${lead_id}: ${event} ${outcome}`)
      } catch (error) {
        if (!LeadSdkError.is(error)) throw error
        book.failed(id, error.code)
        stuck.add(lead_id)
        const now = isFinal(error.code) ? 'was refused, and waits for your staff' : 'stays in the outbox'
        log(`lead ${lead_id}: ${event} ${now}, ${error.code}`)
      }
    }
  }

  return {
    /**
     * Reports all that is pending; what does not come through stays. What was refused waits until somebody asks for it
     * too. One run at a time. Rejects where the book does.
     */
    flush(refusedToo = false): Promise<void> {
      last = last.catch(() => {}).then(() => flush(refusedToo))
      return last
    },
  }
}

/** Tells the service what stands in the outbox. */
export type Outbox = ReturnType<typeof createOutbox>
