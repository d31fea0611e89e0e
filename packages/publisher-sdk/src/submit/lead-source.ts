import type { LeadSubmission } from '@lead-distribution/contract'
import { ConfigError } from '@lead-distribution/sdk-core/errors'

/** Many leads, at hand or still to come. */
export type Leads = Iterable<LeadSubmission> | AsyncIterable<LeadSubmission>

/** Gives leads, one after the other. */
export type LeadSource = Iterator<LeadSubmission> | AsyncIterator<LeadSubmission>

/** What opens the source of leads. @throws ConfigError there is none; texts have characters, not leads. */
export function openerOf(leads: Leads): () => LeadSource {
  const given = leads as unknown as Partial<Record<symbol, () => LeadSource>> | undefined
  const open = given?.[Symbol.asyncIterator] ?? given?.[Symbol.iterator]
  if (typeof given === 'object' && typeof open === 'function') return () => open.call(given)
  throw new ConfigError('`leads` must be iterable: give an array, a generator or a stream of leads.')
}
