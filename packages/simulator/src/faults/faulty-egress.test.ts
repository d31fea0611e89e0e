import type { CallbackRecord, EgressReply } from '@lead-distribution/engine'
import { describe, expect, it } from 'vitest'
import { egressByHand } from '../world.fixture.ts'
import { createFaults, type FaultOrder, noFaults } from './fault-book.ts'
import type { FaultEffect } from './fault-record.ts'
import { createFaultyEgress } from './faulty-egress.ts'

const outbound = { url: 'http://127.0.0.1:1/', headers: {}, timeoutMs: 1000 }
const callback: CallbackRecord = {
  callback_id: 'c1',
  lead_id: 'l1',
  event: 'registration',
  url: outbound.url,
  state: 'pending',
  attempts: [],
}

/** A way out that a fault disturbs. */
async function disturbed(effect: FaultEffect, order: Partial<FaultOrder> = {}, answer?: (nth: number) => EgressReply) {
  const faults = createFaults(noFaults, { chance: [1, 2, 3, 4], keep: async () => undefined })
  await faults.add({ match: { operation: 'callback' }, effect, ...order })
  const out = egressByHand(answer)
  const reordering = new Set<string>()
  const egress = createFaultyEgress(out, faults, {
    scenarioOf: async leadId => (leadId === 'l1' ? 'slow' : undefined),
    isReordering: async leadId => reordering.has(leadId),
  })
  const send = (changes: Partial<CallbackRecord> = {}) => egress.send(outbound, { ...callback, ...changes })
  return { send, out, faults, reordering }
}

describe('a disturbed way out', () => {
  it.each<[FaultEffect, object, number]>([
    [{ drop: true }, { error: 'dropped by a fault', fault_id: 'f1' }, 0],
    [{ status: 503 }, { status: 503, fault_id: 'f1' }, 0],
    [{ delay: 'PT5S' }, { held: 'delay', by_ms: 5000 }, 0],
    [{ reorder: true }, { held: 'reorder', by_ms: 60_000 }, 0],
    [{ duplicate: 2 }, { status: 200, copies: 2, fault_id: 'f1' }, 3],
  ])('%j: answers %j and sends %i', async (effect, reply, sent) => {
    const { send, out } = await disturbed(effect)
    expect([await send(), out.sent.length]).toEqual([reply, sent])
  })

  it('sends what no fault matches, with no trace of one', async () => {
    const { send, out } = await disturbed({ drop: true }, { match: { operation: 'submitLead' } })
    expect([await send(), out.sent]).toEqual([{ status: 200 }, [outbound]])
  })

  it('matches the scenario of the lead', async () => {
    const { send } = await disturbed({ drop: true }, { match: { operation: 'callback', scenario: 'slow' } })
    expect(await send()).toHaveProperty('error')
    expect(await send({ lead_id: 'l2' })).toEqual({ status: 200 })
  })

  it.each<[FaultEffect, 'delay' | 'reorder']>([
    [{ delay: 'PT5S' }, 'delay'],
    [{ reorder: true }, 'reorder'],
  ])('%j: sends one that was put off, and counts nothing', async (effect, held) => {
    const { send, faults } = await disturbed(effect)
    expect(await send({ held })).toEqual({ status: 200 })
    expect(faults.list()).toMatchObject([{ matched: 0, acted: 0 }])
  })

  it('sends one that another of its lead waits for, and makes the one behind it wait again', async () => {
    const { send, faults, reordering } = await disturbed({ reorder: true })
    reordering.add('l1')
    expect(await send()).toEqual({ status: 200 })
    expect(await send({ lead_id: 'l2' })).toHaveProperty('held')
    reordering.clear()
    expect(await send()).toHaveProperty('held')
    expect(faults.list()).toMatchObject([{ acted: 2 }])
  })

  it('disturbs one that another waits for by other faults all the same', async () => {
    const { send, faults, reordering } = await disturbed({ reorder: true })
    await faults.add({ match: { operation: 'callback' }, effect: { drop: true } })
    reordering.add('l1')
    expect(await send()).toHaveProperty('error')
  })

  it('sends copies at once, and answers what the first got', async () => {
    const { send } = await disturbed({ duplicate: 2 }, {}, nth => ({ status: nth === 1 ? 500 : 200 }))
    expect(await send()).toEqual({ status: 500, copies: 2, fault_id: 'f1' })
  })
})
