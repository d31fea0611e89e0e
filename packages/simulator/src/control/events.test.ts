import type { EventStream } from '@lead-distribution/http'
import { describe, expect, it } from 'vitest'
import { noon, settled } from '../ports.fixture.ts'
import { openTenantClient, type Shown } from './tenant-client.fixture.ts'

/** Returns the data of the events that a stream has sent since the last read. */
function reader(stream: EventStream | undefined) {
  const iterator = (stream ?? expect.fail('There is no stream.'))[Symbol.asyncIterator]()
  const seen: Shown[] = []
  let ended = false
  const read = async () => {
    for (let next = await iterator.next(); !next.done; next = await iterator.next())
      for (const text of next.value.split('\n\n').filter(Boolean)) {
        seen.push(JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '{}'))
      }
    ended = true
  }
  void read()
  return {
    /** The events since the last time, as soon as nothing more is going on. */
    async news(): Promise<Shown[]> {
      await settled()
      return seen.splice(0)
    },
    hasEnded: () => ended,
  }
}

async function openStreams() {
  const calls = await openTenantClient({ name: 'qa', seed: 'events' })
  const own = async () => {
    const target = '/_sandbox/v1/tenants/qa/events'
    return reader((await calls.sandbox.handle({ method: 'GET', target, headers: {}, body: new Uint8Array() })).stream)
  }
  return { ...calls, own }
}

const base = { tenant: 'qa', at: new Date(noon).toISOString() }

describe('the stream of a tenant', () => {
  it('has what changes in its clock, its faults and itself', async () => {
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

  it('shows a callback that its tenant holds, that is put off, and that is sent anew', async () => {
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

  it('ends when the sandbox ends its waits, and one that is opened then has ended', async () => {
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
