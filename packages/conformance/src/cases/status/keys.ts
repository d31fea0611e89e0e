import { keyHeader } from '@lead-distribution/contract'
import type { ConformanceCase } from '../../conformance-case.ts'
import { expectCode, expectRefusal } from '../../expectations/expect-error.ts'
import { expectSame } from '../../expectations/expect-reply.ts'
import { reportStatus } from '../../report-status.ts'
import type { Reply, Target } from '../../target.ts'

const status = 'converted'
const unknownKey = 'a-key-that-nobody-has'

/** Updates of a lead that is there, with everything right but for the key. */
const unkeyed: Readonly<Record<string, (target: Target, lead_id: string) => Promise<Reply>>> = {
  'without a key': (target, lead_id) => reportStatus(target, lead_id, status, { key: undefined }),
  'with a key that nobody has': (target, lead_id) => reportStatus(target, lead_id, status, { key: unknownKey }),
  'with an empty key': (target, lead_id) => reportStatus(target, lead_id, status, { key: '' }),
  "with the publisher's key": (target, lead_id) =>
    reportStatus(target, lead_id, status, { key: target.facts.publisher.api_key }),
  'with its key in the URL': async (target, lead_id) => {
    const [method = 'POST'] = (await target.reading('status_methods')) ?? []
    const key = encodeURIComponent(target.facts.advertisers[0]?.api_key ?? '')
    return target.call(method, `/lead/${lead_id}/status?${keyHeader}=${key}`, { body: { status } })
  },
}

/** Who may report a status (Spec 5). */
export const keyCases: readonly ConformanceCase[] = [
  ...Object.entries(unkeyed).map(
    ([words, report]): ConformanceCase => ({
      id: `5/refuses-a-status-${words.replaceAll("'", '').replaceAll(' ', '-')}`.replace('URL', 'url'),
      title: `refuses a status ${words} with 401`,
      statements: ['4/apikey', '4.2/caller', '5/advertiser_key', '5/scope', '5/where', '5/missing_or_invalid_key'],
      needs: ['advertiser'],
      async run(target) {
        const reply = await report(target, await target.distributedLead())
        // A 403 would say just as well that the key is of another scope.
        if (words.includes('publisher')) expectRefusal(reply, 401, 403)
        else expectRefusal(reply, 401)
      },
    }),
  ),
  {
    id: 'open/says-unauthorized-alike',
    title: 'refuses a status in one and the same way, whatever is wrong with the key, and before it looks at the body',
    statements: ['open/error.unauthorized', '7/401'],
    needs: ['advertiser'],
    weight: 'reading',
    async run(target) {
      const lead_id = await target.distributedLead()
      const replies = [await reportStatus(target, crypto.randomUUID(), { status: 1 }, { key: undefined })]
      for (const report of Object.values(unkeyed)) replies.push(await report(target, lead_id))
      for (const reply of replies) {
        expectCode(reply, 'unauthorized')
        expectSame('the reply', reply.text, replies[0]?.text)
      }
    },
  },
]
