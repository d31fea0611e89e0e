import type { EventRecord, Storage } from '@lead-distribution/engine'
import { describe, expect, it } from 'vitest'
import { manualTime, noon, settled } from '../ports.fixture.ts'
import { createMemoryStorage } from '../storage/memory-storage.ts'
import type { SandboxCallback } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-tables.ts'
import { createTenant } from '../tenants/create-tenant.ts'
import { type Change, createEventStreams } from './event-streams.ts'
import { observeStorage } from './observe-storage.ts'

/** A tenant's observed storage, and the events that its stream has sent so far. */
async function openObserved({ isRead = true, wrap = (storage: Storage<SandboxTables>) => storage } = {}) {
  const storage = createMemoryStorage()
  await storage.addTenant(await createTenant({ tenant: 'qa', seed: '1', created_at: noon, settings: {} }))
  const { clock, timer } = manualTime()
  const streams = createEventStreams({ timer, clock, show: change => change })
  const published: Change[] = []
  const read = async (reader = streams.read('qa') ?? expect.unreachable()) => {
    for await (const piece of reader)
      for (const [, data = ''] of piece.matchAll(/^data: (.*)$/gm)) {
        const { tenant, at: _, ...change } = JSON.parse(data)
        if (tenant) published.push(change)
      }
  }
  if (isRead) void read()
  return {
    observed: observeStorage(wrap(storage.of('qa')), { streams, tenant: 'qa', clock }, () => ({})),
    async published() {
      await settled()
      return published
    },
  }
}

const event: EventRecord = {
  lead_id: 'l1',
  advertiser_id: 'a1',
  event: 'approved',
  reported_as: 'approved',
  via: 'pixel',
  recorded_at: noon,
}
const callback: SandboxCallback = {
  callback_id: 'c1',
  lead_id: 'l1',
  event: 'approved',
  url: 'http://127.0.0.1/',
  state: 'pending',
  attempts: [],
  due_at: noon,
}

describe('an observed storage', () => {
  it("publishes a transaction's changes after its commit", async () => {
    const { observed, published } = await openObserved()
    const result = await observed.transact(async tables => {
      await tables.claimEvent(event)
      await tables.addCallback(callback)
      expect(await published()).toEqual([])
      return 'done'
    })
    expect(result).toBe('done')
    expect(await published()).toEqual([
      { type: 'lead', change: 'reported', event },
      { type: 'callback', callback, holding: {} },
    ])
  })

  it('publishes nothing for a transaction that is rolled back', async () => {
    const { observed, published } = await openObserved()
    const failing = observed.transact(async tables => {
      await tables.claimEvent(event)
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await published()).toEqual([])
  })

  it('publishes nothing if the commit fails after the work was done', async () => {
    const failsToCommit = ({ transact, read }: Storage<SandboxTables>): Storage<SandboxTables> => ({
      read,
      transact: work => transact(work).then(() => Promise.reject(new Error('disk full'))),
    })
    const { observed, published } = await openObserved({ wrap: failsToCommit })
    await expect(observed.transact(tables => tables.addCallback(callback))).rejects.toThrow('disk full')
    expect(await published()).toEqual([])
  })

  it('publishes once if the storage retries a transaction', async () => {
    const runsTwice = (storage: Storage<SandboxTables>): Storage<SandboxTables> => ({
      ...storage,
      async transact(work) {
        const again = storage.transact(async tables => {
          await work(tables)
          throw new Error('taken back')
        })
        await again.catch(() => undefined)
        return storage.transact(work)
      },
    })
    const { observed, published } = await openObserved({ wrap: runsTwice })
    await observed.transact(tables => tables.claimEvent(event))
    expect(await published()).toEqual([{ type: 'lead', change: 'reported', event }])
  })

  it('ignores a repeated event', async () => {
    const { observed, published } = await openObserved()
    for (const isNew of [true, false]) {
      expect(await observed.transact(tables => tables.claimEvent(event))).toBe(isNew)
      expect(await published()).toHaveLength(1)
    }
  })

  it('publishes a callback after each attempt, postponement and resend, once per transaction', async () => {
    const { observed, published } = await openObserved()
    const attempt = { at: noon, status: 500, ms: 1 }
    const url = callback.url
    await observed.transact(tables => tables.addCallback(callback))
    await observed.transact(async tables => {
      const lease = { due_by: noon, now: 0, until: 1, limit: 1 }
      for (const leased of await tables.leaseDueCallbacks(lease))
        await tables.postponeCallback({ callback_id: 'c1', due_at: noon + 1, held: 'delay' }, leased)
      for (const leased of await tables.leaseDueCallbacks({ ...lease, due_by: noon + 1 }))
        await tables.recordAttempt({ callback_id: 'c1', url, attempt, state: 'failed' }, leased)
    })
    await observed.transact(tables => tables.requeueCallback('c1', noon + 5))
    const states = (await published()).map(change => change.type === 'callback' && change.callback)
    expect(states).toMatchObject([
      { state: 'pending', attempts: [] },
      { state: 'failed', attempts: [attempt] },
      { state: 'pending', attempts: [attempt], due_at: noon + 5 },
    ])
  })

  it('passes an unwatched transaction to the storage unchanged', async () => {
    const works: unknown[] = []
    const noting = ({ transact, read }: Storage<SandboxTables>): Storage<SandboxTables> => ({
      read,
      transact(work) {
        works.push(work)
        return transact(work)
      },
    })
    const { observed, published } = await openObserved({ isRead: false, wrap: noting })
    const work = (tables: SandboxTables) => tables.addCallback(callback)
    await observed.transact(work)
    expect(works).toEqual([work])
    expect(await published()).toEqual([])
  })
})
