import { canonicalEvent } from '@lead-distribution/contract'
import type { ConformanceCase } from '../../conformance-case.ts'
import { expectSame } from '../../expectations.ts'
import { Mismatch } from '../../mismatch.ts'
import { recordEvent } from '../../report-status.ts'
import { callbackCase, callbackCaseOf, callbacksUpTo, type Ends, eventsOf } from './callback-case.ts'

/** Tries to be waited for: as long as the patience is at a time. */
async function triesOf({ callbacks, target }: Ends, lead_id: string, atLeast: number) {
  const until = Date.now() + target.patienceMs
  while (callbacks.of(lead_id).length < atLeast && Date.now() < until)
    await new Promise(resolve => setTimeout(resolve, 10))
  const tries = callbacks.of(lead_id)
  if (tries.length >= atLeast) return tries
  throw new Mismatch(`${atLeast} tries of the callback`, `${tries.length} within the patience`)
}

/** A new lead, the callback of which is answered so. */
async function leadWithCallbackAnswered({ callbacks, target }: Ends, answer: number): Promise<string> {
  const lead_id = await target.distributedLead()
  callbacks.answer(lead_id, [answer])
  await recordEvent(target, lead_id, 'approved')
  return lead_id
}

const failing = [301, 302, 307, 400, 404, 429, 500, 503]
const delivering = [200, 201, 202, 204, 299]

/** The outcome of a callback for each answer (points 9 and 10; fixed choices). */
export const deliveryCases: readonly ConformanceCase[] = [
  ...failing.map(answer =>
    callbackCaseOf('callback_retries', {
      id: `open/tries-again-after-${answer}`,
      title: `tries a callback again that is answered ${answer}, at the same address`,
      statements: ['open/callback_retries', 'open/callback_timeout'],
      weight: 'interpretation',
      async run(ends) {
        const [first, second] = await triesOf(ends, await leadWithCallbackAnswered(ends, answer), 2)
        expectSame('the target of the second try', second?.target, first?.target)
      },
    }),
  ),
  callbackCaseOf('callback_retries', {
    id: 'open/is-done-by-any-2xx',
    title: 'does not try a callback again that is answered by any 2xx',
    statements: ['open/callback_timeout', 'open/callback_retries'],
    weight: 'interpretation',
    async run(ends) {
      const delivered: [answer: number, lead_id: string][] = []
      for (const answer of delivering) delivered.push([answer, await leadWithCallbackAnswered(ends, answer)])
      // What fails after them all is tried again when they would have been, or later; the second surely later.
      for (const _ of [1, 2]) await triesOf(ends, await leadWithCallbackAnswered(ends, 500), 2)
      for (const [answer, lead_id] of delivered)
        expectSame(`the tries of a callback answered ${answer}`, ends.callbacks.of(lead_id).length, 1)
    },
  }),
  callbackCaseOf('callback_retries', {
    id: 'open/keeps-the-order-over-a-retry',
    title: 'sends the events of a lead in order, even if the first needs a second try',
    statements: ['open/callback_retries'],
    weight: 'interpretation',
    async run(ends) {
      const lead_id = await leadWithCallbackAnswered(ends, 500)
      await recordEvent(ends.target, lead_id, 'completed')
      const tries = await triesOf(ends, lead_id, 3)
      expectSame('the events of the tries', eventsOf(tries).map(canonicalEvent), ['approved', 'approved', 'completed'])
    },
  }),
  callbackCase({
    id: 'open/keeps-the-order',
    title: 'sends the events of a lead in the order of their reports',
    statements: ['6.2/rule-1'],
    weight: 'interpretation',
    async run(ends) {
      const lead_id = await ends.target.distributedLead()
      const events = ['completed', 'approved', 'defaulted', 'rejected']
      for (const event of events) await recordEvent(ends.target, lead_id, event)
      expectSame(
        'the events of the callbacks',
        eventsOf(await callbacksUpTo(ends, lead_id)).map(canonicalEvent),
        events,
      )
    },
  }),
  callbackCase({
    id: 'open/follows-no-redirect',
    title: 'follows no redirect of a callback',
    statements: ['open/callback_timeout'],
    weight: 'interpretation',
    async run(ends) {
      const lead_id = await leadWithCallbackAnswered(ends, 302)
      await triesOf(ends, lead_id, 1)
      // A redirect that is followed is followed at once: the callback of another lead comes later.
      await triesOf(ends, await leadWithCallbackAnswered(ends, 200), 1)
      const { pathname } = new URL(ends.callbacks.url)
      const elsewhere = ends.callbacks.of(lead_id).filter(({ target }) => target.split('?')[0] !== pathname)
      expectSame('the tries at the address of the redirect', elsewhere.length, 0)
    },
  }),
]
