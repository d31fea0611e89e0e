import { convertedStatus } from '@lead-distribution/contract'
import type { ConformanceCase } from '../../conformance-case.ts'
import { expectCode } from '../../expectations/expect-error.ts'
import { expectOf } from '../../expectations/expect-reply.ts'
import { expectTaken } from '../../expectations/expect-report.ts'
import { Mismatch, Unclear } from '../../mismatch.ts'
import { reportStatus } from '../../report-status.ts'

/** By which methods a status is reported, and what is answered (Spec 4.2; point 4). */
export const methodCases: readonly ConformanceCase[] = [
  {
    id: '4.2/takes-post-or-patch',
    title: 'takes a status by POST, by PATCH, or by both',
    statements: ['4.2/method_and_path', '4.2/methods', 'open/status_methods'],
    needs: ['advertiser'],
    async run(target) {
      const { reading, known_by } = await target.finding('status_methods')
      if (!reading) throw new Mismatch('200 to POST or PATCH with a status of a lead of the advertiser', known_by)
      for (const method of reading) {
        const lead_id = await target.distributedLead()
        expectTaken(await reportStatus(target, lead_id, convertedStatus, { method }), lead_id, convertedStatus)
      }
    },
  },
  {
    id: 'open/refuses-another-method',
    title: 'refuses the one of POST and PATCH that it does not take with a 405, which says what it does take',
    statements: ['open/status_methods', 'open/error.method_not_allowed'],
    needs: ['advertiser'],
    weight: 'reading',
    async run(target) {
      const taken = await target.reading('status_methods')
      const method = (['POST', 'PATCH'] as const).find(each => taken && !taken.includes(each))
      if (!method) throw new Unclear('It takes both POST and PATCH.')
      const reply = await reportStatus(target, await target.distributedLead(), convertedStatus, { method })
      expectCode(reply, 'method_not_allowed')
      const allowed = reply.headers.get('allow')?.split(/, */) ?? []
      expectOf(reply, taken?.every(each => allowed.includes(each)) === true, `a header Allow with ${taken?.join(', ')}`)
      expectOf(reply, !allowed.includes(method), `a header Allow without ${method}`)
    },
  },
  {
    id: 'open/knows-no-delete-of-a-status',
    title: 'refuses a method that no operation has with a 405',
    statements: ['open/error.method_not_allowed'],
    needs: ['advertiser'],
    weight: 'reading',
    async run(target) {
      const key = target.facts.advertisers[0]?.api_key
      const reply = await target.call('DELETE', `/lead/${await target.distributedLead()}/status`, { key })
      expectCode(reply, 'method_not_allowed')
      expectOf(reply, reply.headers.get('allow')?.includes('GET') === true, 'a header Allow with GET')
    },
  },
]
