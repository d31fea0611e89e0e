import type { EventStream } from '@lead-distribution/http'
import { describe, expect, it } from 'vitest'
import { noon, settled } from '../ports.fixture.ts'
import { openTenantClient, type Shown } from './tenant-client.fixture.ts'

/** Returns the events that a stream has sent since the last read, with their data. */
function reader(stream: EventStream | undefined) {
  const iterator = (stream ?? expect.fail('There is no stream.'))[Symbol.asyncIterator]()
  const seen: Shown[] = []
  let ended = false
  const read = async () => {
    for (let next = await iterator.next(); !next.done; next = await iterator.next())
      for (const text of next.value.split('\n\n').filter(Boolean)) {
        const [, id, data] = /^(?:id: (.*)\n)?event: .*\ndata: (.*)$/.exec(text) ?? []
        seen.push({ id, ...JSON.parse(data ?? '{}') })
      }
    ended = true
  }
  void read()
  return {
    /** Returns the events since the last call, once everything is idle. */
    async news(): Promise<Shown[]> {
      await settled()
      return seen.splice(0)
    },
    hasEnded: () => ended,
    close: () => iterator.return?.(),
  }
}

async function openStreams() {
  const calls = await openTenantClient({ name: 'qa', seed: 'events' })
  const ask = (path: string, headers: Record<string, string> = {}) =>
    calls.sandbox.handle({ method: 'GET', target: `/_sandbox/v1${path}`, headers, body: new Uint8Array() })
  const open = async (path: string, lastEventId?: string) =>
    reader((await ask(path, lastEventId === undefined ? {} : { 'last-event-id': lastEventId })).stream)
  const own = (lastEventId?: string) => open('/tenants/qa/events', lastEventId)
  return { ...calls, ask, own, all: () => open('/events') }
}

const base = { tenant: 'qa', at: new Date(noon).toISOString() }

describe("a tenant's stream", () => {
  it('shows what happens to a lead, without the submission', async () => {
    const { own, submit, leads, trigger, time } = await openStreams()
    const stream = await own()
    expect(await stream.news()).toMatchObject([{ type: 'ready' }])
    const { lead_id } = await submit(leads.distributed, 'ana@example.com')
    const [lead] = await stream.news()
    expect(lead).toEqual({
      id: expect.any(String),
      ...base,
      type: 'lead',
      change: 'submitted',
      lead_id,
      product_id: expect.any(String),
      status: 'distributed',
    })
    const rejected = await submit(leads.ageRestricted, 'old@example.com')
    expect(await stream.news()).toMatchObject([
      { type: 'lead', lead_id: rejected.lead_id, status: 'rejected', rejection_reason: 'age_restriction' },
    ])
    await trigger(lead_id, 'approved')
    const reported = await stream.news()
    expect(reported).toMatchObject([
      { type: 'lead', change: 'reported', lead_id, event: 'approved', advertiser_id: expect.any(String) },
      { type: 'callback', callback: { lead_id, state: 'pending', attempts: [] } },
      { type: 'callback', callback: { lead_id, state: 'delivered', attempts: [{ status: 200 }] } },
    ])
    await time.advance(100)
    const calls = await stream.news()
    expect(calls).toMatchObject([
      { type: 'request', request: { operation: 'submitLead', outcome: 'distributed', lead_id } },
      { type: 'request', request: { operation: 'submitLead', reason: 'age_restriction' } },
      { type: 'request', request: { operation: 'reportEvent', event: 'approved', lead_id } },
    ])
    expect(JSON.stringify([lead, reported, calls])).not.toContain('ana@example.com')
  })

  it('shows changes to its clock, its faults and the tenant itself', async () => {
    const { own, done } = await openStreams()
    const stream = await own()
    await done('POST', '/clock', { freeze: true })
    const fault = await done('POST', '/faults', { match: { operation: 'callback' }, effect: { drop: true } })
    await done('DELETE', '/faults')
    await done('PATCH', '', { settings: { gender: 'required' } })
    await done('PATCH', '/inbox', { status: 500 })
    await done('POST', '/reset')
    const events = (await stream.news()).map(({ id: _, tenant: __, at: ___, ...event }) => event)
    expect(events).toEqual([
      { type: 'ready' },
      { type: 'clock', clock: { mode: 'frozen', now: base.at } },
      { type: 'fault', faults: [fault] },
      { type: 'fault', faults: [] },
      { type: 'tenant', change: 'changed' },
      { type: 'inbox', inbox: { status: 500 } },
      { type: 'tenant', change: 'restored' },
    ])
  })

  it('shows a callback that is on hold, postponed or resent', async () => {
    const { own, done, trigger, submit, leads, get, time } = await openStreams()
    const { lead_id } = await submit(leads.distributed)
    const stream = await own()
    await done('POST', '/faults', { match: { operation: 'callback' }, effect: { delay: 'PT5S' }, times: 1 })
    await stream.news()
    await trigger(lead_id, 'approved')
    const states = async () =>
      (await stream.news()).flatMap(({ type, callback }) =>
        type === 'callback' ? [[callback.state, callback.held, callback.attempts.length]] : [],
      )
    expect(await states()).toEqual([
      ['pending', undefined, 0],
      ['pending', 'delay', 0],
    ])
    await time.advance(5_000)
    expect(await states()).toEqual([['delivered', undefined, 1]])
    const [callback] = (await get('/callbacks')).callbacks
    await done('PATCH', '', { callbacks_held: true })
    await done('POST', `/callbacks/${callback.callback_id}/resend`)
    expect(await states()).toEqual([['pending', 'tenant', 1]])
  })

  it('continues after the last event that its reader knows', async () => {
    const { own, done } = await openStreams()
    const first = await own()
    await done('POST', '/clock', { freeze: true })
    await done('POST', '/clock', { resume: true })
    const [, frozen, resumed] = await first.news()
    await first.close()
    await done('POST', '/clock', { freeze: true })
    const back = await (await own(frozen.id)).news()
    expect(back.map(({ type }) => type)).toEqual(['ready', 'clock', 'clock'])
    expect(back[1]).toEqual(resumed)
    expect((await (await own('unknown')).news())[0]).toMatchObject({ type: 'reset' })
  })

  it('ends when its tenant is deleted, but not when another one is', async () => {
    const { own, call } = await openStreams()
    const stream = await own()
    await call('POST', '/_sandbox/v1/tenants', { name: 'other' })
    await call('DELETE', '/_sandbox/v1/tenants/other')
    expect([await stream.news(), stream.hasEnded()]).toMatchObject([[{ type: 'ready' }], false])
    await call('DELETE', '/_sandbox/v1/tenants/qa')
    expect([await stream.news(), stream.hasEnded()]).toMatchObject([[{ type: 'tenant', change: 'deleted' }], true])
  })

  it('ends when the sandbox ends its waits; one opened later ends at once', async () => {
    const { own, sandbox } = await openStreams()
    const stream = await own()
    await stream.news()
    sandbox.endWaits()
    await settled()
    expect(stream.hasEnded()).toBe(true)
    const late = await own()
    expect([(await late.news()).length, late.hasEnded()]).toEqual([1, true])
  })
})

describe('the stream of all tenants', () => {
  it('has the events of each tenant, and shows when tenants are created and deleted', async () => {
    const { all, own, call, done } = await openStreams()
    const [every, one] = [await all(), await own()]
    await call('POST', '/_sandbox/v1/tenants', { name: 'other' })
    await call('POST', '/_sandbox/v1/tenants/other/clock', { freeze: true })
    await done('POST', '/clock', { freeze: true })
    await call('DELETE', '/_sandbox/v1/tenants/other')
    const typesOf = (events: Shown[]) =>
      events.map(({ type, tenant, change }) => [type, tenant, change].filter(Boolean))
    expect(typesOf(await every.news())).toEqual([
      ['ready'],
      ['tenant', 'other', 'created'],
      ['clock', 'other'],
      ['clock', 'qa'],
      ['tenant', 'other', 'deleted'],
    ])
    expect(typesOf(await one.news())).toEqual([['ready'], ['clock', 'qa']])
  })
})
