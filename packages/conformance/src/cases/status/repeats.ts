import { pixelEvents, usageNameOf } from '@lead-distribution/contract'
import type { ConformanceCase } from '../../conformance-case.ts'
import { expectTaken } from '../../expectations/expect-report.ts'
import { reportStatus } from '../../report-status.ts'

/** Updates that come again (Spec 3; fixed choices). */
export const repeatCases: readonly ConformanceCase[] = [
  {
    id: 'open/answers-the-repeat-alike',
    title: 'answers a status that is reported again with the same 200, by each method that it takes',
    statements: ['4.2/reply.status', '3/ignored'],
    needs: ['advertiser'],
    weight: 'reading',
    async run(target) {
      const lead_id = await target.distributedLead()
      const methods = (await target.reading('status_methods')) ?? [undefined]
      for (const method of [...methods, ...methods])
        expectTaken(await reportStatus(target, lead_id, 'converted', method && { method }), lead_id, 'converted')
    },
  },
  {
    id: 'open/repeats-each-name',
    title: 'repeats each of the two names of an event as it was reported',
    statements: ['4.2/reply.status', '6.1/rule-1'],
    needs: ['advertiser'],
    weight: 'reading',
    async run(target) {
      const lead_id = await target.distributedLead()
      for (const event of pixelEvents)
        for (const status of [usageNameOf[event], event])
          expectTaken(await reportStatus(target, lead_id, status), lead_id, status)
    },
  },
]
