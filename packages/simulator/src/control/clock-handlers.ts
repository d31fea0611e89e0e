import { durationMs } from '@lead-distribution/engine'
import type { Tenant } from '../tenants/tenant.ts'
import { latestTime } from '../time/time-control.ts'
import type { clockOperations } from './clock.ts'
import { type ControlContext, type ControlHandlers, iso, onTenants } from './context.ts'
import { refuseFields } from './control-error.ts'

/** The handlers of the operations on a tenant's clock. */
export function clockHandlers(context: ControlContext): ControlHandlers<typeof clockOperations> {
  const onTenant = onTenants(context)
  const clockView = ({ clock }: Tenant) => ({ mode: clock.state().mode, now: iso(clock.now()) })

  return {
    showClock: onTenant(async tenant => ({ body: clockView(tenant) })),
    changeClock: onTenant(async (tenant, { input }) => {
      const { clock, time } = tenant
      if (input.freeze) await time.freeze()
      else if (input.resume) await time.resume()
      else if (!(await time.set(Date.parse(input.set ?? ''))))
        return refuseFields({ field: 'set', issue: backwards(clock.now()) })
      return { body: clockView(tenant) }
    }),
    advanceClock: onTenant(async ({ time, clock, storage }, { input }) => {
      const executed = await time.advance(durationMs(input.by))
      if (executed === undefined) return refuseFields({ field: 'by', issue: `must not lead past ${iso(latestTime)}` })
      const pending = await storage.transact(
        async tables => (await tables.countPendingCallbacks()) + (await tables.countReports()),
      )
      return { body: { now: iso(clock.now()), executed, pending } }
    }),
  }
}

const backwards = (now: number) =>
  `must be a time from ${iso(now)}, the tenant's now, to ${iso(latestTime)}; to go back, restore a snapshot`
