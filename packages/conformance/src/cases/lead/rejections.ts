import { type TestLeadEntry, testLeadCatalogue } from '@lead-distribution/test-leads'
import type { ConformanceCase } from '../../conformance-case.ts'
import { expectRefusal } from '../../expectations/expect-error.ts'
import { expectRejected, isAbsent } from '../../expectations/expect-lead.ts'
import { expectOf } from '../../expectations/expect-reply.ts'
import { Unclear } from '../../mismatch.ts'
import type { StatementId } from '../../statements/index.ts'
import type { Reply, Target } from '../../target.ts'
import { requestsFor } from './leads-of.ts'

/** Submits a test lead of the catalogue; answers the last reply, which has the outcome. */
async function replyTo(target: Target, name: TestLeadEntry['name']): Promise<Reply> {
  const requests = requestsFor(target, name)
  let reply: Reply | undefined
  for (const { headers, body } of requests) reply = await target.submit(body, { headers })
  if (!reply) throw new Unclear('There is no such test lead.')
  return reply
}

/** The reasons for which a lead is rejected after it was created, and kept. */
const keepsLead = ['age_restriction', 'income_insufficient', 'geographic_restriction', 'eligibility_failed'].concat(
  'fraud_suspected',
  'blacklisted',
)

/** A rejection for every reason that criteria lead to; those of consents and products are semantic refusals. */
const byCriteria = testLeadCatalogue.flatMap(({ name, reaches, settings }) =>
  'rejection_reason' in reaches && !settings ? [{ name, reason: reaches.rejection_reason }] : [],
)

/** Rejections by what the account publishes (Spec 2.12). */
export const rejectionCases: readonly ConformanceCase[] = [
  ...byCriteria
    .filter(({ reason }) => reason !== 'customer_already_exists' && reason !== 'invalid_product')
    .flatMap(({ name, reason }): ConformanceCase[] => [
      {
        id: `2.12/${reason}`,
        title: `rejects a lead as ${reason} with 200`,
        statements: [
          `2.12/${reason}` as StatementId,
          '3/rejected',
          '2.12/rejection_reason',
          '7/business_rejections',
          '4.1/200',
        ],
        needs: ['account'],
        async run(target) {
          expectRejected(await replyTo(target, name), reason)
        },
      },
      {
        id: `open/${reason}-${keepsLead.includes(reason) ? 'keeps-its-lead' : 'creates-no-lead'}`,
        title: keepsLead.includes(reason)
          ? `gives the lead that it rejects as ${reason} an id`
          : `gives no id to what it rejects as ${reason}`,
        statements: ['2.12/lead_id', `2.12/${reason}` as StatementId],
        needs: ['account'],
        weight: 'reading',
        async run(target) {
          const reply = await replyTo(target, name)
          expectRejected(reply, reason)
          const isKept = keepsLead.includes(reason)
          expectOf(reply, isAbsent(reply.json.lead_id) !== isKept, isKept ? 'a lead_id' : 'no lead_id')
        },
      },
    ]),
  {
    id: '7/internal_error',
    title: 'answers a failure of its own with 500 in the shape of an error, and no details',
    statements: ['4.1/500', '7/500', 'open/error.internal_error'],
    needs: ['account'],
    async run(target) {
      const reply = await replyTo(target, 'internalError')
      if (reply.status === 200) throw new Unclear('The target plays no scenarios, so that it cannot be made to fail.')
      expectRefusal(reply, 500)
    },
  },
]
