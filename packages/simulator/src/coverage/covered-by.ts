import { isLeadStatus } from '@lead-distribution/contract'
import type { RequestRecord } from '../journal/request-record.ts'
import { coverageKey } from './coverage-view.ts'

/** What a request shows that can be covered, each as `kind/name`. */
export function coveredBy({ operation, outcome, reason, event, status }: Omit<RequestRecord, 'number'>): string[] {
  if (event !== undefined) return [coverageKey('event', event)]
  const came = coverageKey('outcome', outcome)
  if (operation === 'submitLead' && (status === 200 || status === 0) && isLeadStatus(outcome))
    return reason === undefined ? [came] : [came, coverageKey('reason', reason)]
  return [coverageKey('error', outcome)]
}
