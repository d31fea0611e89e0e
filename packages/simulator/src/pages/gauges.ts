import type { SandboxGauges } from '../journal/metrics.ts'
import type { SandboxStorage } from '../storage/sandbox-storage.ts'
import type { EventStreams } from '../stream/event-streams.ts'
import type { Tenant } from '../tenants/runtime.ts'

/** Reads the current values of the metrics, one tenant at a time so that service calls can run in between. */
export async function readGauges(
  registry: { list(): readonly Pick<Tenant, 'storage' | 'clock' | 'waits'>[] },
  storage: Pick<SandboxStorage, 'health'>,
  events: Pick<EventStreams, 'readers'>,
): Promise<SandboxGauges> {
  const tenants = registry.list()
  let pendingCallbacks = 0
  let oldestDueMs = 0
  for (const tenant of tenants) {
    const { pending, dueMs } = await readBacklog(tenant).catch(() => nothing)
    pendingCallbacks += pending
    oldestDueMs = Math.max(oldestDueMs, dueMs)
  }
  const storageUp = (await storage.health()) === 'ok'
  return {
    tenants: tenants.length,
    pendingCallbacks,
    oldestDueSeconds: oldestDueMs / 1000,
    storageUp,
    waitingCalls: tenants.reduce((sum, { waits }) => sum + waits.callbacks.count() + waits.delays.count(), 0),
    streams: events.readers(),
  }
}

/** The tenant was deleted in the meantime, or its storage fails, which another metric shows. */
const nothing = { pending: 0, dueMs: 0 }

function readBacklog({
  storage,
  clock,
}: Pick<Tenant, 'storage' | 'clock'>): Promise<{ pending: number; dueMs: number }> {
  return storage.read(async tables => {
    const pending = await tables.countPendingCallbacks()
    const due = pending === 0 ? undefined : await tables.nextCallbackDue()
    return { pending, dueMs: due === undefined ? 0 : clock.now() - due }
  })
}
