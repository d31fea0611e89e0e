import { convertedStatus, type EventName, knownStatuses } from '@lead-distribution/contract'
import type { ConformanceCase } from '../../conformance-case.ts'
import { expectFieldRefused } from '../../expectations/expect-error.ts'
import { expectTaken } from '../../expectations/expect-report.ts'
import { Unclear } from '../../mismatch.ts'
import { reportStatus } from '../../report-status.ts'
import type { StatementId } from '../../statements/index.ts'

/** The specification shows `converted`; that the events' names are taken too is how we read it. */
const takes = (status: EventName): ConformanceCase => ({
  id: status === convertedStatus ? '4.2/takes-converted' : `open/takes-the-status-${status}`,
  title: `takes the status ${status}, and repeats it in the reply`,
  statements: [
    '4.2/status',
    '4.2/success_reply',
    '4.2/reply.lead_id',
    '4.2/reply.status',
    '4.2/caller',
    ...(status === convertedStatus ? [] : ([`6.1/${status}`, 'open/status_vocabulary'] as StatementId[])),
  ],
  needs: ['advertiser'],
  weight: status === convertedStatus ? 'specification' : 'reading',
  async run(target) {
    const lead_id = await target.distributedLead()
    expectTaken(await reportStatus(target, lead_id, status), lead_id, status)
  },
})

/** Words and figures that a status update may carry (Spec 4.2; point 5). */
export const wordCases: readonly ConformanceCase[] = [
  ...knownStatuses.map(takes),
  {
    id: '4.2/takes-all-fields',
    title: "takes a status with the advertiser's own id and with figures, of which the amount may be broken",
    statements: ['4.2/advertiser_id', '4.2/metadata', '4.2/metadata.amount', '4.2/metadata.term_months'],
    needs: ['advertiser'],
    async run(target) {
      const lead_id = await target.distributedLead()
      const advertiser_id = target.facts.advertisers[0]?.advertiser_id
      const metadata = { amount: 4999.5, term_months: 24 }
      const reply = await reportStatus(target, lead_id, { status: convertedStatus, advertiser_id, metadata })
      expectTaken(reply, lead_id, convertedStatus)
    },
  },
  {
    id: 'open/takes-figures-it-does-not-know',
    title: 'takes empty metadata, and fields that it does not know',
    statements: ['4.2/metadata'],
    needs: ['advertiser'],
    weight: 'reading',
    async run(target) {
      for (const more of [{ metadata: {} }, { metadata: { rate: 7.5 } }, { note: 'signed' }]) {
        const lead_id = await target.distributedLead()
        const reply = await reportStatus(target, lead_id, { status: convertedStatus, ...more })
        expectTaken(reply, lead_id, convertedStatus)
      }
    },
  },
  {
    id: 'open/judges-other-words',
    title: 'takes words of no list all, or refuses them all, whatever their letter case',
    statements: ['open/status_vocabulary', '4.2/status'],
    needs: ['advertiser'],
    weight: 'reading',
    async run(target) {
      const { reading, known_by } = await target.finding('status_vocabulary')
      if (!reading) throw new Unclear(known_by)
      for (const status of ['funded', 'Approved', ' approved', 'constructor', 'loan issued']) {
        const lead_id = await target.distributedLead()
        const reply = await reportStatus(target, lead_id, status)
        if (reading === 'any') expectTaken(reply, lead_id, status)
        else expectFieldRefused(reply, 'status')
      }
    },
  },
]
