import { type Advertiser, AuthError, ConfigError, LeadSdkError } from '@lead-distribution/advertiser-sdk'
import type { LoanStore, PendingReport } from './loan-store.ts'

/** Writes a line to the log. No line holds a postback URL, a token or a key. */
export type Log = (line: string) => void

export interface OutboxOptions {
  loans: LoanStore
  advertiser: Advertiser
  log: Log
}

/** Errors that no repeat resolves: your staff must look at them. */
const finalErrors: readonly string[] = ['auth', 'bad_request', 'config', 'validation'] satisfies LeadSdkError['code'][]

/** Returns true if another attempt won't help. */
export function isFinal(error: string | null): error is string {
  return error !== null && finalErrors.includes(error)
}

/** Creates the sender of the outbox, which repeats each report until the service has it. */
export function createOutbox({ loans, advertiser, log }: OutboxOptions) {
  let last = Promise.resolve()

  async function report({ lead_id, event, ref, postback_url, amount, term_months }: PendingReport) {
    try {
      return await advertiser.fire(advertiser.parsePostbackUrl(postback_url), { event, ref })
    } catch (error) {
      // The service does not accept the URL or its token: report by key instead. The service treats both as one event.
      if (!(ConfigError.is(error) || AuthError.is(error))) throw error
      const figures = { ...(amount !== null && { amount }), ...(term_months !== null && { term_months }) }
      return await advertiser.reportStatus(lead_id, { status: event, metadata: figures })
    }
  }

  async function flush(refusedToo: boolean): Promise<void> {
    const stuck = new Set<string>()
    for (const pending of loans.pending()) {
      const { id, lead_id, event, error: lastError } = pending
      // Reports the events of a loan in their order.
      if (stuck.has(lead_id) || (isFinal(lastError) && !refusedToo)) {
        stuck.add(lead_id)
        continue
      }
      try {
        const { outcome } = await report(pending)
        // `received`, or `ignored`: known already, from an attempt whose reply was lost.
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
    /** Sends pending reports, one run at a time. Failed ones stay; refused ones wait for your staff. */
    flush(refusedToo = false): Promise<void> {
      last = last.catch(() => {}).then(() => flush(refusedToo))
      return last
    },
  }
}

export type Outbox = ReturnType<typeof createOutbox>
