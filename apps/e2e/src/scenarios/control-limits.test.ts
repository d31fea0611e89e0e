import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { openMemoryAdapter } from '../adapters/memory-adapter.ts'
import { createTenant } from '../adapters/tenant.ts'

/** Only in memory: each takes a thousand calls. */
describe('the limits of the control plane', () => {
  let adapter: Adapter
  beforeAll(async () => {
    adapter = await openMemoryAdapter()
  })
  afterAll(() => adapter.close())

  it('let a tenant have a thousand faults and no more', async () => {
    const tenant = await createTenant(adapter)
    const body = { match: { operation: 'callback' }, effect: { drop: true }, times: 0 }
    const add = () => tenant.control('POST', '/faults', { body })
    const statuses = (await Promise.all(Array.from({ length: 1000 }, add))).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([201]))
    const { status, json } = await add()
    expect([status, json.error]).toEqual([409, 'too_many'])
    await tenant.control('DELETE', '/faults/f1')
    expect((await add()).json.fault_id).toBe('f1001')
  })

  it('let a recovery be as large as it has to be', async () => {
    const tenant = await createTenant(adapter, {
      frozen_at: '2026-06-15T12:00:00Z',
      settings: { callback_retries: [] },
    })
    await tenant.control('PATCH', '/inbox', { body: { status: 500, times: 501 } })
    for (let lead = 0; lead < 501; lead++) await tenant.pixel(await tenant.distributedLead(), 'approved')
    await tenant.control('POST', '/clock/advance', { body: { by: 'PT0S' } })
    const { callbacks } = (await tenant.control('POST', '/callbacks/recover', { body: { since: 'PT0S' } })).json
    const ids = callbacks.map(({ callback_id }: { callback_id: string }) => callback_id)
    expect([new Set(ids).size, ids]).toEqual([501, ids.toSorted()])
    expect((await tenant.control('GET', '/callbacks?state=failed')).json.callbacks).toEqual([])
  })
})
