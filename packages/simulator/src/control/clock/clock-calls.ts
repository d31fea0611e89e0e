import { durationMs } from '@lead-distribution/engine'
import type { Tenant } from '../../tenants/tenant.ts'
import { latestTime } from '../../time/time-control.ts'
import { type ControlCalls, type ControlContext, done, iso, onTenants } from '../context.ts'
import { readInput, refuseFields } from '../control-error.ts'
import { advance, clockChange } from './clock.shape.ts'
import type { clockOperations } from './clock-operations.ts'

/** What the operations on a tenant's clock do. */
export function clockCalls(context: ControlContext): ControlCalls<typeof clockOperations> {
  const onTenant = onTenants(context)
  const shown = ({ clock }: Tenant) => done({ mode: clock.state().mode, now: iso(clock.now()) })

  return {
    showClock: onTenant(async tenant => shown(tenant)),
    changeClock: onTenant(async (tenant, { body }) => {
      const { value, refused } = readInput(clockChange, body)
      if (refused) return refused
      const { clock, time } = tenant
      if (value.freeze) await time.freeze()
      else if (value.resume) await time.resume()
      else if (!(await time.set(Date.parse(value.set ?? ''))))
        return refuseFields({ field: 'set', issue: backwards(clock.now()) })
      return shown(tenant)
    }),
    advanceClock: onTenant(async ({ time, clock, storage }, { body }) => {
      const { value, refused } = readInput(advance, body)
      if (refused) return refused
      const executed = await time.advance(durationMs(value.by))
      if (executed === undefined) return refuseFields({ field: 'by', issue: `must not lead past ${iso(latestTime)}` })
      const pending = await storage.transact(
        async tables => (await tables.countPendingCallbacks()) + (await tables.countReports()),
      )
      return done({ now: iso(clock.now()), executed, pending })
    }),
  }
}

const backwards = (now: number) =>
  `must be a time from ${iso(now)}, the tenant's now, to ${iso(latestTime)}; back in time leads restoring a snapshot`
