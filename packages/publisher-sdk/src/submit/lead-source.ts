import type { LeadSubmission } from '@lead-distribution/contract'
import { assertConfig } from '@lead-distribution/sdk-core/errors'

/** Many leads, at hand or still to come. */
export type Leads = Iterable<LeadSubmission> | AsyncIterable<LeadSubmission>

type LeadIterator = Iterator<LeadSubmission> | AsyncIterator<LeadSubmission>

/** Leads one after the other, of a source that is opened with the first. */
export interface LeadSource {
  /** Not a promise where the source has its leads at hand. */
  next(): ReturnType<LeadIterator['next']>
  /** Lets the source clean up; never rejects. */
  close(): Promise<void>
}

/** @throws ConfigError the leads are not iterable; a text has characters, not leads. */
export function createLeadSource(leads: Leads): LeadSource {
  assertConfig(
    typeof leads === 'object' && leads && (Symbol.asyncIterator in leads || Symbol.iterator in leads),
    '`leads` must be iterable: give an array, a generator or a stream of leads.',
  )
  let opened: LeadIterator | undefined
  const iterator = () => {
    opened ??= Symbol.asyncIterator in leads ? leads[Symbol.asyncIterator]() : leads[Symbol.iterator]()
    return opened
  }
  return {
    next: () => iterator().next(),
    async close() {
      try {
        await iterator().return?.()
      } catch {
        // Its leads are read: how it cleans up is its own matter.
      }
    },
  }
}
