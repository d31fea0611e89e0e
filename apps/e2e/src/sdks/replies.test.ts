import { createAdvertiser } from '@lead-distribution/advertiser-sdk'
import { createPublisher } from '@lead-distribution/publisher-sdk'
import { describe, expect, it } from 'vitest'
import { callNames, calls, clientOf, errorOf } from './calls.fixture.ts'
import { lead, lead_id, leaks } from './injected.fixture.ts'
import { head, replies, writes } from './steps.fixture.ts'
import { startWireServer } from './wire-server.fixture.ts'

const redirect_url = 'https://advertiser.example/apply?lead=~a%20b=='
const unrecognized = { outcome: 'unrecognized' }

/** Replies of success that are not what the specification shows, and what they come to. */
const odd: [name: string, body: object, result: object][] = [
  ['a 200 that misses every field', {}, { ...unrecognized, status: null, lead_id: null }],
  ['a 200 that misses the lead_id', { status: 'new' }, { ...unrecognized, status: 'new', lead_id: null }],
  ['a 200 that misses the status', { lead_id }, { ...unrecognized, status: null, lead_id }],
  ['a status of tomorrow', { lead_id, status: 'queued' }, { ...unrecognized, status: 'queued' }],
  ['a status that is no text', { lead_id, status: 7 }, { ...unrecognized, status: null }],
  ['distributed without an address', { lead_id, status: 'distributed' }, { ...unrecognized, status: 'distributed' }],
  ...[
    null,
    '',
    7,
    '/apply',
    '//advertiser.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://',
    'https://user:pw@a.example',
  ].map((address): [string, object, object] => [
    `distributed with the address ${JSON.stringify(address)}`,
    { lead_id, status: 'distributed', redirect_url: address },
    { ...unrecognized, status: 'distributed' },
  ]),
  [
    'distributed as it should be',
    { lead_id, status: 'distributed', redirect_url },
    { outcome: 'distributed', redirect_url },
  ],
  ...['https://a.example/{lead}|^', 'https://bücher.example/año', ' https://a.example'].map(
    (address): [string, object, object] => [
      `distributed with the address ${JSON.stringify(address)}`,
      { lead_id, status: 'distributed', redirect_url: address },
      { outcome: 'distributed', redirect_url: new URL(address).href },
    ],
  ),
  ['new with an address', { lead_id, status: 'new', redirect_url }, { outcome: 'new' }],
  [
    'a rejection reason of tomorrow',
    { status: 'rejected', rejection_reason: 'moon_phase' },
    { outcome: 'rejected', rejection_reason: 'moon_phase' },
  ],
  ['a rejection without a reason', { status: 'rejected' }, { outcome: 'rejected', rejection_reason: null }],
]

describe('submit', () => {
  it.each(odd)('returns %s, and throws nothing', async (_name, body, result) => {
    const server = await startWireServer(replies(200, body))
    const { client, steps } = clientOf(server.baseUrl)
    const submitted = await createPublisher(client).submit(lead)
    expect(submitted).toMatchObject({ ...result, raw: body, meta: { status: 200, attempts: 1 } })
    if (submitted.outcome !== 'distributed') expect(submitted).not.toHaveProperty('redirect_url')
    expect(steps()).toEqual(['attempt 1', 'reply 1'])
    expect(server.reached).toHaveLength(1)
  })

  it.each([201, 202, 206])('takes a %i for what its body says', async status => {
    const server = await startWireServer(replies(status, { lead_id, status: 'new' }))
    expect((await createPublisher(clientOf(server.baseUrl).client).submit(lead)).outcome).toBe('new')
  })
})

describe.each(callNames)('%s', name => {
  const { make, fine } = calls[name]
  const text = JSON.stringify(fine)
  const headers = { 'content-type': 'application/json', 'content-length': String(text.length) }

  it.each([
    ['a 103', head(103, { link: '</style.css>; rel=preload' })],
    ['a 102 and two 103', head(102, {}) + head(103, {}) + head(103, {})],
  ])('reads the reply that comes after %s', async (_name, before) => {
    const server = await startWireServer(writes(before, head(200, headers), text))
    expect((await make({ client: clientOf(server.baseUrl).client })).meta).toMatchObject({ status: 200, attempts: 1 })
  })

  it('counts as maybe processed after a 100 that was not requested, which the runtime takes for an error', async () => {
    const server = await startWireServer(writes(head(100, {}), head(200, headers), text))
    const error = await errorOf(make({ client: clientOf(server.baseUrl, { maxRetries: 0 }).client }))
    expect(error).toMatchObject({ code: 'outcome_unknown', sent: 'maybe' })
  })

  it.each([
    ['in pieces of one byte', [...head(200, headers), ...text]],
    ['with a byte order mark', [head(200, { ...headers, 'content-length': String(text.length + 3) }), `\ufeff${text}`]],
    ['said to be text', [head(200, { ...headers, 'content-type': 'text/plain' }), text]],
    ['of no stated type', [head(200, { 'content-length': String(text.length) }), text]],
  ])('reads a reply %s', async (_name, pieces) => {
    const server = await startWireServer(writes(...pieces))
    expect((await make({ client: clientOf(server.baseUrl).client })).meta.status).toBe(200)
  })
})

it.each([
  ['a 200 that misses the lead_id', { event: 'approved', status: 'received' }],
  ['an outcome of tomorrow', { lead_id, event: 'approved', status: 'queued' }],
])('fire and reportStatus return %s as unrecognized', async (_name, body) => {
  const server = await startWireServer(replies(200, body))
  const { client } = clientOf(server.baseUrl)
  const fired = await calls.fire.make({ client })
  expect(fired).toMatchObject({ outcome: 'unrecognized', raw: body })
  const reported = await createAdvertiser(client).reportStatus(lead_id, { status: 'approved' })
  expect(reported.outcome).toBe('lead_id' in body ? 'reported' : 'unrecognized')
})

const codes = { 301: 'protocol', 302: 'protocol', 303: 'protocol', 307: 'protocol', 308: 'protocol' } as const

/** Targets of a redirect: another origin in every spelling, and the same one. */
const targets: Record<string, (other: string, own: string, target: string) => string> = {
  'another origin': (other, _own, target) => other + target,
  'another origin without a scheme': (other, _own, target) => other.replace('http:', '') + target,
  'another name of this machine': (other, _own, target) => other.replace('127.0.0.1', 'localhost') + target,
  'its own origin': (_other, own, target) => own + target,
  'its own origin, by path': (_other, _own, target) => target,
}

describe.each(callNames)('%s', name => {
  const { make, once, fine } = calls[name]

  it.each(Object.keys(targets))('follows no redirect to %s, so that key and token stay here', async name => {
    const other = await startWireServer(replies(200, fine))
    for (const status of [301, 302, 303, 307, 308] as const) {
      const server = await startWireServer((socket, request) => {
        const location = targets[name]?.(other.origin, server.origin, request.target) ?? ''
        replies(status, '', { location })(socket, request)
      })
      const { client, events } = clientOf(server.baseUrl)
      const error = await errorOf(make({ client }))
      // What 302 and 303 say is not that nothing was processed.
      const unknown = once && (status === 302 || status === 303)
      expect(error.code).toBe(unknown ? 'outcome_unknown' : codes[status])
      expect(error.message).toContain(`${status}`)
      expect([...leaks(error), ...leaks(events)]).toEqual([])
      expect(server.reached).toHaveLength(1)
    }
    expect(other.connections()).toBe(0)
  })
})
