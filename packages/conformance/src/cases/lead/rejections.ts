import {
  type LeadSubmission,
  type RejectedLead,
  type RejectionContext,
  type RejectionName,
  rejectionLeads,
  rejections,
} from '@lead-distribution/contract'
import { requestsOf, type TestLeadEntry, type TestRequest } from '@lead-distribution/contract/test-leads'
import { type ConformanceCase, Unclear } from '../../conformance-case.ts'
import { expectLead, expectOf, expectRefusal, expectRejected, isAbsent } from '../../expectations.ts'
import type { Target, TargetResponse } from '../../target.ts'

/** Submits a test lead of the catalog. Returns the last response, which has the outcome. */
async function responseTo(target: Target, name: TestLeadEntry['name']): Promise<TargetResponse> {
  const requests = requestsFor(target, name)
  let response: TargetResponse | undefined
  for (const { headers, body } of requests) response = await target.submit(body, { headers })
  if (!response) throw new Unclear('There is no such test lead.')
  return response
}

/** The rejections by the account's criteria that have their cases here: those of customers and products have their own. */
export const byCriteria = (Object.keys(rejections) as RejectionName[])
  .filter(name => rejections[name].kind === 'with_lead' || name === 'duplicateSubmission')
  .map(name => ({ name, reason: rejections[name].reason, keepsLead: rejections[name].kind === 'with_lead' }))

/** Rejections by the account's published criteria (Spec 2.12). */
export const rejectionCases: readonly ConformanceCase[] = [
  ...byCriteria.flatMap(({ name, reason, keepsLead }): ConformanceCase[] => [
    {
      id: `2.12/${reason}`,
      title: `rejects a lead as ${reason} with 200`,
      statements: [`2.12/${reason}`, '3/rejected', '2.12/rejection_reason', '7/business_rejections', '4.1/200'],
      needs: ['account'],
      run: async target => expectRejected(await responseTo(target, name), reason),
    },
    {
      id: `open/${reason}-${keepsLead ? 'keeps-its-lead' : 'creates-no-lead'}`,
      title: keepsLead
        ? `gives the lead that it rejects as ${reason} an id`
        : `gives no id to what it rejects as ${reason}`,
      statements: ['2.12/lead_id', `2.12/${reason}`],
      needs: ['account'],
      weight: 'interpretation',
      async run(target) {
        const response = await responseTo(target, name)
        expectRejected(response, reason)
        expectOf(response, isAbsent(response.json.lead_id) !== keepsLead, keepsLead ? 'a lead_id' : 'no lead_id')
      },
    },
  ]),
  {
    id: '7/internal_error',
    title: 'responds to its own failure with 500 in the shape of an error, and no details',
    statements: ['4.1/500', '7/500', 'open/error.internal_error'],
    needs: ['account'],
    async run(target) {
      const response = await responseTo(target, 'internalError')
      if (response.status === 200)
        throw new Unclear('The target applies no scenarios, so that it cannot be made to fail.')
      expectRefusal(response, 500)
    },
  },
]

/**
 * Returns the requests that give an outcome by the account's published criteria, in their order.
 * @throws {Unclear} where the criteria cannot give the outcome; it says what to change in them.
 */
function requestsFor(target: Target, name: TestLeadEntry['name']): readonly TestRequest[] {
  try {
    if (!target.testLeads) throw new Error('The criteria that leads are judged by are not known: give --account.')
    return requestsOf(target.testLeads[name]())
  } catch (error) {
    throw new Unclear(error instanceof Error ? error.message : String(error))
  }
}

/**
 * Returns the leads for an outcome by the account's published criteria, in their order.
 * @throws {Unclear} where the criteria cannot give the outcome; it says what to change in them.
 */
export function leadsOf(target: Target, name: TestLeadEntry['name']): readonly LeadSubmission[] {
  return requestsFor(target, name).map(({ body }) => JSON.parse(body))
}

/** The limits of the active product. A clock that differs from the target's by a day does no harm. */
function contextOf({ facts: { account } }: Target): RejectionContext {
  const { criteria } = account?.products.find(({ active }) => active) ?? {}
  if (account && criteria) return { ...account, criteria, today: new Date() }
  throw new Unclear('The criteria that leads are judged by are not known: give --account.')
}

/** The criteria that an account publishes, on both sides of each (Spec 2.12). */
export const thresholdCases: readonly ConformanceCase[] = byCriteria.flatMap(({ name, reason }) => {
  const { inside, outside, nothingOutside }: RejectedLead = rejectionLeads[name]
  if (!inside || !outside) return []
  return {
    id: `2.12/${reason}-at-its-threshold`,
    title: `rejects as ${reason} what is just outside the criteria, and nothing just inside`,
    statements: [`2.12/${reason}`],
    needs: ['account'],
    async run(target) {
      const context = contextOf(target)
      for (const fields of inside(context)) {
        const response = await target.submit(target.submission(fields))
        expectLead(response)
        expectOf(response, response.json.rejection_reason !== reason, `no ${reason} for ${JSON.stringify(fields)}`)
      }
      const beyond = outside(context).slice(0, maxOutside)
      if (beyond.length === 0) throw new Unclear(nothingOutside)
      for (const fields of beyond) expectRejected(await target.submit(target.submission(fields)), reason)
    },
  }
})

/** The maximum number of leads outside a criterion to submit: every occupation, and the ends of both bands. */
const maxOutside = 20
