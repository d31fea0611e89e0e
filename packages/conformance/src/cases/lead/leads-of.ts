import type { LeadSubmission } from '@lead-distribution/contract'
import { requestsOf, type TestLeadEntry, type TestRequest } from '@lead-distribution/test-leads'
import { Unclear } from '../../mismatch.ts'
import type { Target } from '../../target.ts'

/**
 * The requests that lead to an outcome by the account's published criteria, in their order.
 * @throws {Unclear} where the criteria cannot give the outcome; it says what to change in them.
 */
export function requestsFor(target: Target, name: TestLeadEntry['name']): readonly TestRequest[] {
  try {
    if (!target.testLeads) throw new Error('The criteria that leads are judged by are not known: give --account.')
    return requestsOf(target.testLeads[name]())
  } catch (fault) {
    throw new Unclear(fault instanceof Error ? fault.message : String(fault))
  }
}

/**
 * The leads that lead to an outcome by the account's published criteria, in their order.
 * @throws {Unclear} where the criteria cannot give the outcome; it says what to change in them.
 */
export function leadsOf(target: Target, name: TestLeadEntry['name']): readonly LeadSubmission[] {
  return requestsFor(target, name).map(({ body }) => JSON.parse(body))
}
