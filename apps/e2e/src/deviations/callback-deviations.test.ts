import { type ConformanceCase, cases, createTarget, runCases } from '@lead-distribution/conformance'
import { openCallbackListener } from '@lead-distribution/conformance/callback-listener'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { targetThrough, withKnownRetries } from '../adapters/conformance-target.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { type CallbackDeviation, openDeviatingRelay } from './deviating-service.fixture.ts'

/** Callbacks arrive within milliseconds, or later on a busy machine. */
const patienceMs = 10_000
const settings = { callback_retries: ['PT0.05S', 'PT0.05S'], callback_signature: 'standard_webhooks' }
const ofCallbacks = cases.filter(({ needs }: ConformanceCase) => needs.includes('callbacks'))

let adapter: Adapter
beforeAll(async () => {
  adapter = await openExpressAdapter()
})
afterAll(() => adapter.close())

/** Returns the ids of the cases that fail for a deviation. */
async function failing(chosen: readonly ConformanceCase[], deviation: CallbackDeviation): Promise<string[]> {
  await using listener = await openCallbackListener({ patienceMs })
  await using relay = await openDeviatingRelay(listener.url, deviation)
  const { target } = await targetThrough(adapter, { settings, callback_url: relay.url })
  const { facts } = target
  const known = withKnownRetries(createTarget({ facts, callbacks: listener, patienceMs }), settings.callback_retries)
  const results = await runCases(chosen, known)
  return results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)
}

const inQuery = (change: (query: URLSearchParams) => void): CallbackDeviation => ({
  change: ({ url }) => change(url.searchParams),
})
const retries = /^open\/retries-a-callback-at-the-same-url-after-\d+$/

/** Each deviation, the cases that find it, and for a narrow one, a pattern of all cases that may fail. */
const deviations: Record<string, readonly [CallbackDeviation, finds: readonly string[], within?: RegExp]> = {
  'a POST': [
    {
      change: relayed => {
        relayed.method = 'POST'
      },
    },
    ['6.2/sends-a-callback-by-get-to-the-path-of-the-callback-url'],
    /^6\.2\/sends-a-callback-by-get/,
  ],
  "the customer's name in the query": [
    inQuery(query => query.set('name', 'Xochitlquetzal')),
    ['6.2/sends-nothing-else-in-a-callback', 'open/keeps-the-query-of-the-callback-url'],
    /sends-nothing-else|keeps-the-query|signs/,
  ],
  'an event name that is in no list': [
    inQuery(query => query.set('event', 'sold')),
    [
      '6.2/sends-the-lead_id-and-a-listed-event-once-each',
      '6.2/notifies-the-publisher-of-each-event-once',
      'open/keeps-the-name-converted-in-a-callback',
    ],
  ],
  'a name from the other list for one event': [
    inQuery(query => {
      if (query.get('event') === 'loan_paid') query.set('event', 'completed')
    }),
    ['open/takes-the-event-names-of-callbacks-from-one-list'],
    /event-names-of-callbacks|signs/,
  ],
  'no lead_id': [
    inQuery(query => query.delete('lead_id')),
    [
      '6.2/sends-the-lead_id-and-a-listed-event-once-each',
      '6.2/sends-a-callback-by-get-to-the-path-of-the-callback-url',
    ],
  ],
  "the callback URL's own query lost": [
    inQuery(query => query.delete('source')),
    ['open/keeps-the-query-of-the-callback-url'],
    /keeps-the-query|signs/,
  ],
  'each callback sent twice': [
    { send: async (_relayed, pass) => Math.max(await pass(), await pass()) },
    [
      '6.2/notifies-the-publisher-of-each-event-once',
      '3/sends-no-callback-for-an-ignored-event',
      'open/sends-one-callback-for-an-event-reported-by-pixel-and-by-status-update',
    ],
  ],
  'retries to another URL': [
    {
      change: ({ url, nth }) => {
        if (nth > 1) url.searchParams.set('try', `${nth}`)
      },
    },
    ['open/retries-a-callback-at-the-same-url-after-500', 'open/retries-a-callback-at-the-same-url-after-302'],
  ],
  'a 404 that counts as delivered': [
    { send: async (_relayed, pass) => ((status: number) => (status === 404 ? 200 : status))(await pass()) },
    ['open/retries-a-callback-at-the-same-url-after-404'],
    retries,
  ],
  'a 204 that counts as failed': [
    { send: async (_relayed, pass) => ((status: number) => (status === 204 ? 500 : status))(await pass()) },
    ['open/considers-a-callback-delivered-after-any-2xx'],
    /^open\/considers-a-callback-delivered-after-any-2xx$/,
  ],
  'redirects followed': [
    {
      send: async ({ url, headers }) => (await fetch(url, { headers })).status,
    },
    ['open/follows-no-redirect-of-a-callback'],
    /redirect|^open\/retries-a-callback-at-the-same-url-after-30\d$/,
  ],
  "a lead's first callback sent after its second": [
    (() => {
      const held = new Map<string | null, () => Promise<number>>()
      return {
        send: async ({ url, nth }, pass) => {
          const lead_id = url.searchParams.get('lead_id')
          if (nth === 1) held.set(lead_id, pass)
          const status = nth === 1 ? 200 : await pass()
          if (nth === 2) await held.get(lead_id)?.()
          return status
        },
      }
    })(),
    ['open/sends-the-callbacks-of-a-lead-in-the-order-of-its-events'],
  ],
}

it('passes every case, skipping none, if callbacks do not deviate', async () => {
  await using listener = await openCallbackListener({ patienceMs })
  const { target } = await targetThrough(
    adapter,
    { settings, callback_url: listener.url },
    { callbacks: listener, patienceMs },
  )
  const results = await runCases(ofCallbacks, withKnownRetries(target, settings.callback_retries))
  expect(results.filter(({ outcome }) => outcome !== 'passed')).toEqual([])
})

it('finds each deviation', async () => {
  const rows = Object.entries(deviations).map(async ([name, [deviation, finds, within]]) => {
    const chosen = ofCallbacks.filter(({ id }) => within !== undefined || finds.includes(id))
    const ids = await failing(chosen, deviation)
    expect.soft(ids, name).toEqual(expect.arrayContaining([...finds]))
    if (within)
      expect
        .soft(
          ids.filter(id => !within.test(id)),
          name,
        )
        .toEqual([])
  })
  await Promise.all(rows)
})
