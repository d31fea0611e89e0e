import { createMemoryStorage, type SandboxStorage } from '@lead-distribution/simulator'
import { describe, expect, it } from 'vitest'
import { openMemoryAdapter } from '../adapters/memory-adapter.ts'
import { createTenant, Tenant } from '../adapters/tenant.ts'
import { eachRow } from '../each-row.ts'

/** The control plane's response below a tenant's path. */
const read = async (tenant: Tenant, path: string) => (await tenant.control('GET', path)).json

/** A memory storage that is slow to restore a tenant, so that requests arrive in between. */
function slowStorage(): SandboxStorage {
  const storage = createMemoryStorage()
  const late = async <Outcome>(done: Promise<Outcome>) => {
    const outcome = await done
    await new Promise(resolve => setTimeout(resolve, 3))
    return outcome
  }
  return {
    ...storage,
    of: tenant => ({
      transact: work => late(storage.of(tenant).transact(work)),
      read: work => late(storage.of(tenant).read(work)),
    }),
    restoreSnapshot: (tenant, name, finish) => late(storage.restoreSnapshot(tenant, name, finish)),
    clearTenant: record => late(storage.clearTenant(record)),
    saveSnapshot: (tenant, snapshot) => late(storage.saveSnapshot(tenant, snapshot)),
  }
}

const putBacks = { 'a restore': '/snapshots/then/restore', 'a reset': '/reset' }

const save = (tenant: Tenant) => tenant.control('POST', '/snapshots', { body: { name: 'then' } })

describe.each(Object.entries(putBacks))('faults, inbox and clock set during %s', (_name, path) => {
  it('are either undone or permanent, at whatever moment they arrive', () =>
    eachRow(
      Array.from({ length: 14 }, (_, ms) => ms),
      async ms => {
        const storage = slowStorage()
        const adapter = await openMemoryAdapter({ storage })
        const tenant = await createTenant(adapter, { frozen_at: '2026-03-01T10:00:00Z' })
        await save(tenant)
        const fault = { match: { operation: 'callback' }, effect: { drop: true } }
        const putBack = tenant.control('POST', path)
        await new Promise(resolve => setTimeout(resolve, ms))
        const replies = await Promise.all([
          tenant.control('POST', '/faults', { body: fault }),
          tenant.control('PATCH', '/inbox', { body: { status: 500 } }),
          tenant.control('POST', '/clock/advance', { body: { by: 'PT1H' } }),
          putBack,
        ])
        expect(replies.map(({ status }) => status)).toEqual([201, 200, 200, 200])
        const state = async (of: Tenant) => [
          await read(of, '/faults'),
          await read(of, '/inbox'),
          await read(of, '/clock'),
        ]
        const shown = await state(tenant)
        await adapter.close()
        const again = await openMemoryAdapter({ storage })
        expect(await state(new Tenant(again, tenant.account))).toEqual(shown)
        await again.close()
      },
    ))
})

it('a request delayed by a fault blocks neither a snapshot nor a reset', async () => {
  const timer = {
    after(ms: number, run: () => void) {
      const timer = ms < 600_000 ? setTimeout(run, ms) : undefined
      return () => clearTimeout(timer)
    },
  }
  const adapter = await openMemoryAdapter({ timer })
  const tenant = await createTenant(adapter)
  const fault = { match: { operation: 'submitLead' }, effect: { latency_ms: 600_000 } }
  await tenant.control('POST', '/faults', { body: fault })
  void tenant.submit()
  const acted = async () => (await read(tenant, '/faults')).faults[0].acted
  await expect.poll(acted).toBe(1)
  expect((await save(tenant)).status).toBe(201)
  expect((await tenant.control('POST', '/reset')).status).toBe(200)
  await adapter.close()
})
