import { canonicalEvent } from '@lead-distribution/contract'
import { type ConformanceCase, Mismatch } from '../../conformance-case.ts'
import { expectSame } from '../../expectations.ts'
import { recordEvent } from '../../report-status.ts'
import { callbackCase, callbackCaseOf, callbacksUpTo, type Ends, eventsOf } from './callback-case.ts'

async function attemptsOf({ callbacks, target }: Ends, lead_id: string, atLeast: number) {
  const until = Date.now() + target.patienceMs
  while (callbacks.of(lead_id).length < atLeast && Date.now() < until)
    await new Promise(resolve => setTimeout(resolve, 10))
  const attempts = callbacks.of(lead_id)
  if (attempts.length >= atLeast) return attempts
  throw new Mismatch(`${atLeast} attempts of the callback in time`, `${attempts.length}`)
}

/** Creates a lead and records an event. The first attempt of its callback gets this response. */
async function leadWithResponse({ callbacks, target }: Ends, status: number): Promise<string> {
  const lead_id = await target.distributedLead()
  callbacks.answer(lead_id, [status])
  await recordEvent(target, lead_id, 'approved')
  return lead_id
}

const failing = [301, 302, 307, 400, 404, 429, 500, 503]
const delivering = [200, 201, 202, 204, 299]

/** Delivery of callbacks, depending on the publisher's response (points 9 and 10; fixed choices). */
export const deliveryCases: readonly ConformanceCase[] = [
  ...failing.map(status =>
    callbackCaseOf('callback_retries', {
      id: `open/tries-again-after-${status}`,
      title: `retries a callback at the same URL after a ${status}`,
      statements: ['open/callback_retries', 'open/callback_timeout'],
      async run(ends) {
        const [first, second] = await attemptsOf(ends, await leadWithResponse(ends, status), 2)
        expectSame('the URL of the second attempt', second?.target, first?.target)
      },
    }),
  ),
  callbackCaseOf('callback_retries', {
    id: 'open/is-done-by-any-2xx',
    title: 'considers a callback delivered after any 2xx',
    statements: ['open/callback_timeout', 'open/callback_retries'],
    async run(ends) {
      const delivered: [status: number, lead_id: string][] = []
      for (const status of delivering) delivered.push([status, await leadWithResponse(ends, status)])
      // A callback that fails after all of these is retried when they would have been, or later; a second one surely later.
      for (const _ of [1, 2]) await attemptsOf(ends, await leadWithResponse(ends, 500), 2)
      for (const [status, lead_id] of delivered)
        expectSame(`the attempts of a callback after a ${status}`, ends.callbacks.of(lead_id).length, 1)
    },
  }),
  callbackCaseOf('callback_retries', {
    id: 'open/keeps-the-order-over-a-retry',
    title: 'sends the events of a lead in order, even if the first is retried',
    statements: ['open/callback_retries'],
    async run(ends) {
      const lead_id = await leadWithResponse(ends, 500)
      await recordEvent(ends.target, lead_id, 'completed')
      const attempts = await attemptsOf(ends, lead_id, 3)
      expectSame('the events of the attempts', eventsOf(attempts).map(canonicalEvent), [
        'approved',
        'approved',
        'completed',
      ])
    },
  }),
  callbackCase({
    id: 'open/keeps-the-order',
    title: 'sends the events of a lead in the order they were reported',
    statements: ['6.2/rule-1'],
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
    title: 'follows no redirect from a callback',
    statements: ['open/callback_timeout'],
    async run(ends) {
      const lead_id = await leadWithResponse(ends, 302)
      await attemptsOf(ends, lead_id, 1)
      // A sender that follows the redirect does so at once, before the callback of another lead.
      await attemptsOf(ends, await leadWithResponse(ends, 200), 1)
      const { pathname } = new URL(ends.callbacks.url)
      const elsewhere = ends.callbacks.of(lead_id).filter(({ target }) => target.split('?')[0] !== pathname)
      expectSame('the attempts at the redirect URL', elsewhere.length, 0)
    },
  }),
]
