import { type RejectedLead, type RejectionName, rejectionLeads, rejections } from '@lead-distribution/contract'
import { type ConformanceCase, casesOf, Unclear } from '../case.ts'
import { expect, isAbsent } from '../expectations.ts'
import { submitLead, submitTestLeads } from '../requests.ts'
import type { Target } from '../target.ts'

/** The rejections by criteria that this file covers. Those of customers and products are covered in their own files. */
export const byCriteria = (Object.keys(rejections) as RejectionName[])
  .filter(name => rejections[name].kind === 'with_lead' || name === 'duplicateSubmission')
  .map(name => ({ name, reason: rejections[name].reason, keepsLead: rejections[name].kind === 'with_lead' }))

/**
 * The maximum number of leads to submit outside a criterion: enough for every occupation and both ends of both bands.
 */
const maxOutside = 20

/** Submits leads just inside and just outside a criterion. Tolerates a clock that is a day off from the target's. */
async function expectThreshold(target: Target, { name, reason }: (typeof byCriteria)[number]): Promise<void> {
  const { inside, outside, nothingOutside = '' }: RejectedLead = rejectionLeads[name]
  const { account } = target.facts
  const { criteria } = account?.products.find(({ active }) => active) ?? {}
  if (!account || !criteria) throw new Unclear("The account's criteria are unknown: pass --account.")
  const context = { ...account, criteria, today: new Date() }
  for (const fields of inside?.(context) ?? []) expect.notRejected(await submitLead(target, fields), reason)
  const beyond = (outside?.(context) ?? []).slice(0, maxOutside)
  if (beyond.length === 0) throw new Unclear(nothingOutside)
  for (const fields of beyond) expect.rejected(await submitLead(target, fields), reason)
}

/** Rejections by the account's published criteria (Spec 2.12, 7). */
export const rejectionCases: readonly ConformanceCase[] = [
  ...byCriteria.flatMap(each => {
    const { name, reason, keepsLead } = each
    const { inside, outside }: RejectedLead = rejectionLeads[name]
    const statement = `2.12/${reason}` as const
    return [
      ...casesOf([statement, '3/rejected', '2.12/rejection_reason', '7/business_rejections', '4.1/200'], ['account'], {
        [`2.12/rejects-a-lead-as-${reason}`]: async target =>
          expect.rejected(await submitTestLeads(target, name), reason),
      }),
      ...casesOf([statement, '2.12/lead_id'], ['account'], {
        async [`open/gives-${keepsLead ? 'an' : 'no'}-id-to-a-lead-rejected-as-${reason}`](target) {
          const response = await submitTestLeads(target, name)
          expect.rejected(response, reason)
          expect.that(response, isAbsent(response.json.lead_id) !== keepsLead, keepsLead ? 'a lead_id' : 'no lead_id')
        },
        ...(inside &&
          outside && {
            [`2.12/rejects-as-${reason}-only-outside-the-criteria`]: target => expectThreshold(target, each),
          }),
      }),
    ]
  }),
  ...casesOf(['4.1/500', '7/500', 'open/error.internal_error'], ['account'], {
    async '7/returns-a-500-without-details-when-the-service-fails'(target) {
      const response = await submitTestLeads(target, 'internalError')
      if (response.status === 200) throw new Unclear("The target ignores scenarios, so it can't be made to fail.")
      expect.refused(response, 500)
    },
  }),
]
