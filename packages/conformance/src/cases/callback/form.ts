import { callbackUrl, isUuid, knownStatuses, signCallback } from '@lead-distribution/contract'
import { type ConformanceCase, Mismatch, Unclear } from '../../conformance-case.ts'
import { expectSame } from '../../expectations.ts'
import { callbackParameter } from '../../target.ts'
import { callbackAfter, callbackCase, callbackCaseOf } from './callback-case.ts'

/** Data that no callback may contain. */
const customer = { first_name: 'Xochitlquetzal', last_name: 'Prueba-Conformidad' }

/** Form and signature of a callback (Spec 6.2; point 14). */
export const formCases: readonly ConformanceCase[] = [
  callbackCase({
    id: '6.2/is-a-get',
    title: "sends the callback of an event by GET, to the path of the publisher's callback URL",
    statements: ['6.2/rule-1', '6.2/rule-3', '3/received', '4.2/purpose'],
    async run(ends) {
      const { method, target, body } = await callbackAfter(ends)
      expectSame('the method and body of the callback', [method, body], ['GET', ''])
      expectSame('the path of the callback', target.split('?')[0], new URL(ends.callbacks.url).pathname)
    },
  }),
  callbackCase({
    id: '6.2/carries-lead-and-event',
    title: 'names the lead by its id and the event by a listed name, each exactly once',
    statements: ['6.2/rule-2', '6.2/rule-4', '6.2/lead_id', '6.2/event'],
    async run(ends) {
      const { lead_id, ...callback } = await callbackAfter(ends)
      const [id = '', event = ''] = ['lead_id', 'event'].map(name => callbackParameter(callback, name))
      expectSame('the lead_id of the callback', id, lead_id)
      if (!isUuid(id)) throw new Mismatch('a UUID as lead_id', id)
      if (!knownStatuses.some(name => name === event)) throw new Mismatch('a listed event name', event || 'none')
    },
  }),
  callbackCase({
    id: '6.2/carries-nothing-else',
    title: 'adds only lead_id and event to the callback URL, and no customer data',
    statements: ['6.2/rule-2', '6.2/nothing_else'],
    async run(ends) {
      const { first_name, last_name } = customer
      const changes = { 'customer.personal_data.first_name': first_name, 'customer.personal_data.last_name': last_name }
      const callback = await callbackAfter(ends, 'approved', changes)
      const own = new URL(ends.callbacks.url).searchParams
      const added = [...new URLSearchParams(callback.target.split('?')[1]).keys()].filter(name => !own.has(name))
      expectSame('the parameters added to the callback URL', added.toSorted(), ['event', 'lead_id'])
      const text = JSON.stringify(callback).toLowerCase()
      const { publisher, advertisers } = ends.target.facts
      const kept = [first_name, last_name, publisher.api_key, ...advertisers.map(({ api_key }) => api_key)]
      const leaked = kept.filter(value => text.includes(value.toLowerCase()))
      if (leaked.length > 0)
        throw new Mismatch("a callback without the customer's name and without a key", 'one of them')
    },
  }),
  callbackCase({
    id: 'open/keeps-the-query-of-the-callback-url',
    title: 'keeps the query of the callback URL',
    statements: ['6.2/rule-1', '6.2/rule-3'],
    async run(ends) {
      const { url } = ends.callbacks
      if (new URL(url).search === '') throw new Unclear('The callback URL has no query.')
      const { lead_id, ...callback } = await callbackAfter(ends)
      const expected = new URL(callbackUrl(url, lead_id, callbackParameter(callback, 'event') ?? ''))
      expectSame('the query of the callback', sorted(callback.target), sorted(expected.search))
    },
  }),
  callbackCaseOf('callback_signature', {
    id: 'open/signs-each-callback-by-itself',
    title: 'signs every callback with its own id and the time of the attempt',
    statements: ['open/callback_signature'],
    async run(ends, interpretation) {
      const secret = ends.target.facts.callback_secret
      if (interpretation === 'none') throw new Unclear('Callbacks are not signed.')
      if (!secret) throw new Unclear('The callback secret is unknown: pass --account.')
      const ids = new Set<string>()
      for (const event of ['approved', 'rejected']) {
        const { headers, target, at } = await callbackAfter(ends, event)
        const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '', 'webhook-signature': signature } = headers
        expectSame(
          'the signature',
          signature?.split(' ').includes(await signCallback({ secret, id, timestamp, target })),
          true,
        )
        const seconds = Math.abs(Number(timestamp) - at / 1000)
        if (!(seconds < 300))
          throw new Mismatch('the current time as webhook-timestamp', `a time ${seconds} seconds away`)
        ids.add(id)
      }
      expectSame('the number of ids', ids.size, 2)
    },
  }),
]

function sorted(target: string): string[] {
  return (target.split('?')[1] ?? '').split('&').toSorted()
}
