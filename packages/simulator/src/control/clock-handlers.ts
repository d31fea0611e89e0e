import { durationMs } from '@lead-distribution/engine'
import type { SandboxTables } from '../storage/sandbox-storage.ts'
import type { TenantRecord } from '../storage/tenant-record.ts'
import type { Tenant } from '../tenants/tenant.ts'
import { latestTime } from '../time/time-control.ts'
import { holdOf } from './callbacks-handlers.ts'
import type { clockOperations } from './clock.ts'
import { type ControlContext, type ControlHandlers, iso, onTenants } from './context.ts'
import { refuseFields } from './control-error.ts'

/** The handlers of the operations on a tenant's clock. */
export function clockHandlers(context: ControlContext): ControlHandlers<typeof clockOperations> {
  const onTenant = onTenants(context)
  const clockView = ({ clock }: Tenant) => ({ mode: clock.state().mode, now: iso(clock.now()) })

  return {
    showClock: onTenant(async tenant => ({ body: clockView(tenant) })),
    showAgenda: onTenant(async ({ clock, storage, record }) => ({
      body: { now: iso(clock.now()), ...(await storage.transact(tables => readAgenda(tables, record))) },
    })),
    changeClock: onTenant(async (tenant, { input }) => {
      const { clock, time } = tenant
      if (input.freeze) await time.freeze()
      else if (input.resume) await time.resume()
      else if (!(await time.set(Date.parse(input.set ?? ''))))
        return refuseFields({ field: 'set', issue: backwards(clock.now()) })
      return { body: clockView(tenant) }
    }),
    advanceClock: onTenant(async (tenant, { input }) => {
      const { time, clock, storage } = tenant
      const executed = await time.advance(durationMs(input.by))
      if (executed === undefined) return refuseFields({ field: 'by', issue: `must not lead past ${iso(latestTime)}` })
      const waiting = await storage.transact(async tables => {
        const pending = await countDue(tables)
        return tenant.record.callbacks_held ? { pending, held: await tables.countPendingCallbacks() } : { pending }
      })
      return { body: { now: iso(clock.now()), executed, ...waiting } }
    }),
  }
}

const backwards = (now: number) =>
  `must be a time from ${iso(now)}, the tenant's now, to ${iso(latestTime)}; to go back, restore a snapshot`

/** How many entries an agenda has at most. */
const mostDue = 100

async function readAgenda(tables: SandboxTables, tenant: TenantRecord) {
  const callbacks = (await tables.listPendingCallbacks(mostDue)).map(callback => {
    const { due_at = 0, lead_id, event, callback_id, attempts } = callback
    const held = holdOf(callback, tenant)
    return {
      time: due_at,
      type: 'callback' as const,
      lead_id,
      event,
      callback_id,
      attempts: attempts.length,
      ...(held && { held }),
    }
  })
  const reports = (await tables.listDueReports(Number.MAX_SAFE_INTEGER, mostDue)).map(({ due_at, lead_id, event }) => ({
    time: due_at,
    type: 'report' as const,
    lead_id,
    event,
  }))
  const due = [...callbacks, ...reports].sort((one, other) => one.time - other.time).slice(0, mostDue)
  return {
    due: due.map(({ time, ...entry }) => ({ at: iso(time), ...entry })),
    more: (await countDue(tables)) - due.length,
  }
}

/** How many jobs wait: callbacks, and events that are to be reported. */
async function countDue(tables: SandboxTables): Promise<number> {
  return (await tables.countPendingCallbacks()) + (await tables.countReports())
}
