import { expect, it } from 'vitest'
import { noon } from '../ports.fixture.ts'
import { createMemoryStorage } from '../storage/memory-storage.ts'
import { createDemoTenant } from '../tenants/create-tenant.ts'
import { createWaitingRequests } from '../tenants/waiting-requests.ts'
import { createTenantClock } from '../time/clock.ts'
import { readGauges } from './gauges.ts'

const storage = createMemoryStorage()

/** A tenant with a clock a few hours ahead, and callbacks due at the given times. */
async function tenantWith(name: string, hoursAhead: number, dueTimes: readonly number[]) {
  await storage.addTenant({ ...(await createDemoTenant(noon, { settings: {} })), tenant: name })
  const ahead_ms = hoursAhead * 3_600_000
  const tenant = {
    waits: { callbacks: createWaitingRequests(9), delays: createWaitingRequests(9) },
    storage: storage.of(name),
    clock: createTenantClock({ now: () => noon }, { mode: 'running', ahead_ms }),
  }
  const addressed = { event: 'approved', url: 'http://127.0.0.1:1/', state: 'pending' as const, attempts: [] }
  await tenant.storage.transact(async tables => {
    for (const [nth, due_at] of dueTimes.entries())
      await tables.addCallback({ callback_id: `${name}-${nth}`, lead_id: `lead-${nth}`, due_at, ...addressed })
  })
  return tenant
}

it("sums the backlog of all tenants, and finds the oldest due callback on its tenant's clock", async () => {
  const tenants = [
    await tenantWith('idle', 5, []),
    await tenantWith('early', 0, [noon - 2_000, noon + 1_000]),
    await tenantWith('ahead', 1, [noon]),
    await tenantWith('later', 0, [noon + 3_600_000]),
  ]
  const over = Promise.withResolvers<void>()
  void tenants[0]?.waits.callbacks.run(undefined, () => over.promise)
  for (const tenant of tenants) void tenant.waits.delays.run(undefined, () => over.promise)
  expect(await readGauges({ list: () => tenants }, storage, { readers: () => 2 })).toEqual({
    tenants: 4,
    pendingCallbacks: 4,
    oldestDueSeconds: 3_600,
    storageUp: true,
    waitingCalls: 5,
    streams: 2,
  })
  over.resolve()
})

it('skips a tenant that is deleted in the meantime', async () => {
  const tenants = [await tenantWith('deleted', 0, [noon - 9_000]), await tenantWith('left', 0, [noon - 1_000])]
  await storage.deleteTenant('deleted')
  const gauges = await readGauges({ list: () => tenants }, storage, { readers: () => 0 })
  expect(gauges).toMatchObject({ pendingCallbacks: 1, oldestDueSeconds: 1 })
})
