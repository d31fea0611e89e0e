import {
  acceptedPixelEvents,
  callbackUrl,
  canonicalEvent,
  convertedStatus,
  isUuid,
  knownStatuses,
  usageEvent,
} from '@lead-distribution/contract'
import { type ConformanceCase, casesOf, knownInterpretation, Mismatch, Unclear } from '../case.ts'
import { expect } from '../expectations.ts'
import { isSigned } from '../probes/callbacks.ts'
import { pause } from '../probes/probe.ts'
import { callbacksOf, firePixel, onNewLead, recordEvent, reportStatus } from '../requests.ts'
import { type Changes, callbackParameter, type Point, type ReceivedCallback, type Target } from '../target.ts'

const needs = ['advertiser', 'callbacks'] as const
/** The conditions of cases that depend on the target's interpretation of a point. */
const whenKnown = (point: Point) => ({ needs, point })
const needsPixel = ['advertiser', 'callbacks', 'postback_secret'] as const

/** Records an event on a new lead. Returns the lead's first callback and the lead's id. */
async function callbackAfter(target: Target, event = 'approved', changes?: Changes) {
  const lead_id = await target.distributedLead(changes)
  await recordEvent(target, lead_id, event)
  return { ...(await callbackOf(target, lead_id)), lead_id }
}

/** Waits for a lead's first callback, for this event if one is given. */
async function callbackOf(target: Target, lead_id: string, event?: string): Promise<ReceivedCallback> {
  const callbacks = callbacksOf(target)
  const callback = await callbacks.wait(lead_id, event)
  if (callback) return callback
  const received = callbacks.of(lead_id).map(eventOf).join(', ') || 'none'
  throw new Mismatch(`a callback ${event === undefined ? '' : `for ${event} `}in time`, received)
}

/**
 * Returns the events of a lead's callbacks so far. Reports `registration` last: once its callback arrives, no earlier
 * one is still on its way.
 */
async function eventsUpTo(target: Target, lead_id: string): Promise<string[]> {
  await recordEvent(target, lead_id, 'registration')
  const last = await callbackOf(target, lead_id, 'registration')
  const others = callbacksOf(target)
    .of(lead_id)
    .filter(each => each.target !== last.target)
  return others.map(each => canonicalEvent(eventOf(each)))
}

const eventOf = (callback: ReceivedCallback) => callbackParameter(callback, 'event') ?? 'nothing'

/** Data that no callback may contain. */
const customer = {
  'customer.personal_data.first_name': 'Xochitlquetzal',
  'customer.personal_data.last_name': 'Prueba-Conformidad',
}

const queryOf = (target: string) => (target.split('?')[1] ?? '').split('&').toSorted()

/** Form and signature of a callback (Spec 6.2; point 14). */
const form: readonly ConformanceCase[] = [
  ...casesOf(['6.2/rule-1', '6.2/rule-3', '3/received', '4.2/purpose'], needs, {
    async '6.2/sends-a-callback-by-get-to-the-path-of-the-callback-url'(target) {
      const callback = await callbackAfter(target)
      expect.same("the callback's method and body", [callback.method, callback.body], ['GET', ''])
      const { pathname } = new URL(callbacksOf(target).url)
      expect.same("the callback's path", callback.target.split('?')[0], pathname)
    },
    async 'open/keeps-the-query-of-the-callback-url'(target) {
      const { url } = callbacksOf(target)
      if (new URL(url).search === '') throw new Unclear('The callback URL has no query.')
      const { lead_id, ...callback } = await callbackAfter(target)
      const expected = new URL(callbackUrl(url, lead_id, callbackParameter(callback, 'event') ?? ''))
      expect.same("the callback's query", queryOf(callback.target), queryOf(expected.search))
    },
  }),
  ...casesOf(['6.2/rule-2', '6.2/rule-4', '6.2/lead_id', '6.2/event'], needs, {
    async '6.2/sends-the-lead_id-and-a-listed-event-once-each'(target) {
      const { lead_id, ...callback } = await callbackAfter(target)
      const [id = '', event = ''] = ['lead_id', 'event'].map(name => callbackParameter(callback, name))
      expect.same("the callback's lead_id", id, lead_id)
      if (!isUuid(id)) throw new Mismatch('a UUID as lead_id', id)
      if (!knownStatuses.some(name => name === event)) throw new Mismatch('a listed event name', event || 'none')
    },
  }),
  ...casesOf(['6.2/rule-2', '6.2/nothing_else'], needs, {
    async '6.2/sends-nothing-else-in-a-callback'(target) {
      const callback = await callbackAfter(target, 'approved', customer)
      const own = new URL(callbacksOf(target).url).searchParams
      const added = [...new URLSearchParams(callback.target.split('?')[1]).keys()].filter(name => !own.has(name))
      expect.same('the parameters added to the callback URL', added.toSorted(), ['event', 'lead_id'])
      const text = JSON.stringify(callback).toLowerCase()
      const { publisher, advertisers } = target.facts
      const secret = [...Object.values(customer), publisher.api_key, ...advertisers.map(({ api_key }) => api_key)]
      if (secret.some(value => text.includes(value.toLowerCase())))
        throw new Mismatch("a callback without the customer's name and without a key", 'one of them')
    },
  }),
  ...casesOf(['open/callback_signature'], whenKnown('callback_signature'), {
    async 'open/signs-every-callback-with-its-own-id-and-time'(target) {
      const secret = target.facts.callback_secret
      if ((await knownInterpretation(target, 'callback_signature')) === 'none')
        throw new Unclear('Callbacks are not signed.')
      if (!secret) throw new Unclear('The callback secret is unknown: pass --account.')
      const ids = new Set<string>()
      for (const event of ['approved', 'rejected']) {
        const callback = await callbackAfter(target, event)
        const { 'webhook-id': id = '', 'webhook-timestamp': timestamp } = callback.headers
        if (!(await isSigned(callback, secret))) throw new Mismatch('a valid signature', 'another signature, or none')
        const seconds = Math.abs(Number(timestamp) - callback.at / 1000)
        if (!(seconds < 300))
          throw new Mismatch('the current time as webhook-timestamp', `a time ${seconds} seconds away`)
        ids.add(id)
      }
      expect.same('the number of ids', ids.size, 2)
    },
  }),
]

/** Events that the publisher is notified of (Spec 3, 6.2; point 6). */
const events: readonly ConformanceCase[] = [
  ...casesOf(['6.2/rule-1', '4.2/purpose', '3/received'], needs, {
    '6.2/notifies-the-publisher-that-a-lead-has-converted': onNewLead(async (target, lead_id) => {
      expect.status(await reportStatus(target, lead_id, convertedStatus), 200)
      await callbackOf(target, lead_id)
    }),
    '6.2/notifies-the-publisher-of-each-event-once': onNewLead(async (target, lead_id) => {
      for (const event of ['approved', 'completed']) await recordEvent(target, lead_id, event)
      const notified = await eventsUpTo(target, lead_id)
      expect.same("the callbacks' events", notified.toSorted(), ['approved', 'completed'])
    }),
    'open/sends-the-callbacks-of-a-lead-in-the-order-of-its-events': onNewLead(async (target, lead_id) => {
      const reported = ['completed', 'approved', 'defaulted', 'rejected']
      for (const event of reported) await recordEvent(target, lead_id, event)
      expect.same("the callbacks' events", await eventsUpTo(target, lead_id), reported)
    }),
  }),
  ...casesOf(['6.2/rule-1', '4.3/purpose', '3/received'], needsPixel, {
    '6.2/notifies-the-publisher-of-an-event-reported-by-pixel': onNewLead(async (target, lead_id) => {
      expect.status(await firePixel(target, lead_id, 'completed'), 200)
      await callbackOf(target, lead_id)
    }),
  }),
  ...casesOf(['3/ignored', '4.2/purpose', '4.3/purpose', '4.3/rule-3', '6.1/rule-1'], needsPixel, {
    '3/sends-no-callback-for-an-ignored-event': onNewLead(async (target, lead_id) => {
      for (const _ of [1, 2, 3]) expect.status(await firePixel(target, lead_id, 'approved'), 200)
      expect.same("the callbacks' events", await eventsUpTo(target, lead_id), ['approved'])
    }),
    'open/sends-one-callback-for-an-event-reported-by-pixel-and-by-status-update': onNewLead(
      async (target, lead_id) => {
        for (const name of ['loan_paid', 'completed']) {
          expect.status(await firePixel(target, lead_id, name), 200)
          expect.status(await reportStatus(target, lead_id, name), 200)
        }
        expect.same('the number of callbacks', (await eventsUpTo(target, lead_id)).length, 1)
      },
    ),
  }),
  ...casesOf(['3/received', '6.2/nothing_else'], needsPixel, {
    '3/sends-no-callback-for-a-refused-report': onNewLead(async (target, lead_id) => {
      const path = `/lead/${lead_id}/status`
      await target.call('GET', `${path}?token=wrong&event=approved`)
      await target.call('POST', path, { body: { status: 'approved' } })
      await firePixel(target, lead_id, 'nonsense')
      await reportStatus(target, lead_id, { status: 'approved', metadata: { amount: '5000' } })
      expect.same("the callbacks' events", await eventsUpTo(target, lead_id), [])
    }),
  }),
  ...casesOf(['open/callback_event_names', '6.2/event'], whenKnown('callback_event_names'), {
    async 'open/takes-the-event-names-of-callbacks-from-one-list'(target) {
      const interpretation = await knownInterpretation(target, 'callback_event_names')
      const nameOf = { usage: usageEvent, enum: canonicalEvent, as_reported: (name: string) => name }[interpretation]
      const leads = new Map<string, string>()
      for (const event of acceptedPixelEvents) {
        const lead_id = await target.distributedLead()
        await recordEvent(target, lead_id, event)
        leads.set(event, lead_id)
      }
      for (const [event, lead_id] of leads) {
        const callback = await callbackOf(target, lead_id)
        expect.same(`the event in the callback for ${event}`, eventOf(callback), nameOf(event))
      }
    },
  }),
  ...casesOf(['6.2/event'], needs, {
    'open/keeps-the-name-converted-in-a-callback': onNewLead(async (target, lead_id) => {
      const { status } = await reportStatus(target, lead_id, convertedStatus)
      if (status !== 200) throw new Unclear(`The response to the status ${convertedStatus} is ${status}.`)
      expect.same("the callback's event", eventOf(await callbackOf(target, lead_id)), convertedStatus)
    }),
  }),
]

/** Waits for this many attempts of a lead's callbacks, up to the patience. */
async function attemptsOf(target: Target, lead_id: string, atLeast: number) {
  const attempts = () => callbacksOf(target).of(lead_id)
  const until = Date.now() + target.patienceMs
  while (attempts().length < atLeast && Date.now() < until) await pause(10)
  if (attempts().length >= atLeast) return attempts()
  throw new Mismatch(`${atLeast} attempts of the callback in time`, `${attempts().length}`)
}

/** Creates a lead and records an event. The first attempt of its callback gets this response. */
async function leadWithResponse(target: Target, status: number): Promise<string> {
  const lead_id = await target.distributedLead()
  callbacksOf(target).answer(lead_id, [status])
  await recordEvent(target, lead_id, 'approved')
  return lead_id
}

/** Delivery of callbacks, depending on the publisher's response (points 9 and 10; fixed choices). */
const delivery: readonly ConformanceCase[] = [
  ...[301, 302, 307, 400, 404, 429, 500, 503].flatMap(status =>
    casesOf(['open/callback_retries', 'open/callback_timeout'], whenKnown('callback_retries'), {
      async [`open/retries-a-callback-at-the-same-url-after-${status}`](target) {
        const [first, second] = await attemptsOf(target, await leadWithResponse(target, status), 2)
        expect.same("the second attempt's URL", second?.target, first?.target)
      },
    }),
  ),
  ...casesOf(['open/callback_retries', 'open/callback_timeout'], whenKnown('callback_retries'), {
    async 'open/considers-a-callback-delivered-after-any-2xx'(target) {
      const delivered = new Map<number, string>()
      for (const status of [200, 201, 202, 204, 299]) delivered.set(status, await leadWithResponse(target, status))
      // Retries of these callbacks would come no later than those of a callback that fails after them. Two rounds make
      // sure.
      for (const _ of [1, 2]) await attemptsOf(target, await leadWithResponse(target, 500), 2)
      for (const [status, lead_id] of delivered)
        expect.same(`the attempts of a callback after a ${status}`, callbacksOf(target).of(lead_id).length, 1)
    },
    async 'open/keeps-the-order-of-callbacks-when-the-first-is-retried'(target) {
      const lead_id = await leadWithResponse(target, 500)
      await recordEvent(target, lead_id, 'completed')
      const seen = (await attemptsOf(target, lead_id, 3)).map(each => canonicalEvent(eventOf(each)))
      expect.same('the events of the attempts', seen, ['approved', 'approved', 'completed'])
    },
  }),
  ...casesOf(['open/callback_timeout'], needs, {
    async 'open/follows-no-redirect-of-a-callback'(target) {
      const lead_id = await leadWithResponse(target, 302)
      await attemptsOf(target, lead_id, 1)
      // A sender that follows the redirect does so immediately, before the callback of another lead.
      await attemptsOf(target, await leadWithResponse(target, 200), 1)
      const { pathname } = new URL(callbacksOf(target).url)
      const attempts = callbacksOf(target).of(lead_id)
      const elsewhere = attempts.filter(each => each.target.split('?')[0] !== pathname)
      expect.same('the attempts at the redirect URL', elsewhere.length, 0)
    },
  }),
]

/** Callbacks: format, events and delivery (Spec 3, 6.2). */
export const callbackCases: readonly ConformanceCase[] = [...form, ...events, ...delivery]
