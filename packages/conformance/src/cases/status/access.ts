import { convertedStatus, keyHeader } from '@lead-distribution/contract'
import type { ConformanceCase } from '../../conformance-case.ts'
import { expectCode, expectOf, expectRefusal, expectSame, expectTaken } from '../../expectations.ts'
import { Mismatch, Unclear } from '../../mismatch.ts'
import { reportStatus } from '../../report-status.ts'
import type { Target, TargetResponse } from '../../target.ts'

const status = 'converted'
const unknownKey = 'a-key-that-nobody-has'

/** Updates of an existing lead with everything right except the key. */
const unkeyed: Readonly<Record<string, (target: Target, lead_id: string) => Promise<TargetResponse>>> = {
  'without a key': (target, lead_id) => reportStatus(target, lead_id, status, { key: undefined }),
  'with a key that nobody has': (target, lead_id) => reportStatus(target, lead_id, status, { key: unknownKey }),
  'with an empty key': (target, lead_id) => reportStatus(target, lead_id, status, { key: '' }),
  "with the publisher's key": (target, lead_id) =>
    reportStatus(target, lead_id, status, { key: target.facts.publisher.api_key }),
  'with its key in the URL': async (target, lead_id) => {
    const [method = 'POST'] = (await target.interpretation('status_methods')) ?? []
    const key = encodeURIComponent(target.facts.advertisers[0]?.api_key ?? '')
    return target.call(method, `/lead/${lead_id}/status?${keyHeader}=${key}`, { body: { status } })
  },
}

/** The key of a status update (Spec 5). */
export const keyCases: readonly ConformanceCase[] = [
  ...Object.entries(unkeyed).map(
    ([name, report]): ConformanceCase => ({
      id: `5/refuses-a-status-${name.replaceAll("'", '').replaceAll(' ', '-')}`.replace('URL', 'url'),
      title: `refuses a status ${name} with 401`,
      statements: ['4/apikey', '4.2/caller', '5/advertiser_key', '5/scope', '5/where', '5/missing_or_invalid_key'],
      needs: ['advertiser'],
      async run(target) {
        const response = await report(target, await target.distributedLead())
        // A 403 would say just as well that the key is of another scope.
        if (name.includes('publisher')) expectRefusal(response, 401, 403)
        else expectRefusal(response, 401)
      },
    }),
  ),
  {
    id: 'open/says-unauthorized-alike',
    title: 'refuses a status in one and the same way, whatever is wrong with the key, and before it looks at the body',
    statements: ['open/error.unauthorized', '7/401'],
    needs: ['advertiser'],
    weight: 'interpretation',
    async run(target) {
      const lead_id = await target.distributedLead()
      const responses = [await reportStatus(target, crypto.randomUUID(), { status: 1 }, { key: undefined })]
      for (const report of Object.values(unkeyed)) responses.push(await report(target, lead_id))
      for (const response of responses) {
        expectCode(response, 'unauthorized')
        expectSame('the response', response.text, responses[0]?.text)
      }
    },
  },
]

/** By which methods a status is reported, and what is answered (Spec 4.2; point 4). */
export const methodCases: readonly ConformanceCase[] = [
  {
    id: '4.2/takes-post-or-patch',
    title: 'takes a status by POST, by PATCH, or by both',
    statements: ['4.2/method_and_path', '4.2/methods', 'open/status_methods'],
    needs: ['advertiser'],
    async run(target) {
      const { interpretation, known_by } = await target.finding('status_methods')
      if (!interpretation)
        throw new Mismatch('200 to POST or PATCH with a status of a lead of the advertiser', known_by)
      for (const method of interpretation) {
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
    weight: 'interpretation',
    async run(target) {
      const taken = await target.interpretation('status_methods')
      const method = (['POST', 'PATCH'] as const).find(each => taken && !taken.includes(each))
      if (!method) throw new Unclear('It takes both POST and PATCH.')
      const response = await reportStatus(target, await target.distributedLead(), convertedStatus, { method })
      expectCode(response, 'method_not_allowed')
      const allowed = response.headers.get('allow')?.split(/, */) ?? []
      expectOf(
        response,
        taken?.every(each => allowed.includes(each)) === true,
        `a header Allow with ${taken?.join(', ')}`,
      )
      expectOf(response, !allowed.includes(method), `a header Allow without ${method}`)
    },
  },
  {
    id: 'open/knows-no-delete-of-a-status',
    title: 'refuses a method that no operation has with a 405',
    statements: ['open/error.method_not_allowed'],
    needs: ['advertiser'],
    weight: 'interpretation',
    async run(target) {
      const key = target.facts.advertisers[0]?.api_key
      const response = await target.call('DELETE', `/lead/${await target.distributedLead()}/status`, { key })
      expectCode(response, 'method_not_allowed')
      expectOf(response, response.headers.get('allow')?.includes('GET') === true, 'a header Allow with GET')
    },
  },
]
