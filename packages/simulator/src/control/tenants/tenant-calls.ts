import { toHex } from '@lead-distribution/contract'
import type { JsonResponse } from '@lead-distribution/http'
import { refuseCallbackUrl } from '../../never-distribute/callback-target.ts'
import { changeTenant } from '../../tenants/change-tenant.ts'
import { createTenant, demoName, resetRecord } from '../../tenants/create-tenant.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import { latestTime } from '../../time/time-control.ts'
import { type ControlCalls, type ControlContext, done, iso, onTenants } from '../context.ts'
import { controlError, readInput, refuseFields } from '../control-error.ts'
import { tenantChange, tenantCreation } from './account.shape.ts'
import { accountView } from './account-view.ts'
import type { tenantOperations } from './tenant-operations.ts'

/** How many tenants a sandbox has at the most. */
const maxTenants = 10_000

const demoStays = controlError(409, 'tenant_stays', 'The tenant demo is always there. Delete tenants of your own.')
const nameTaken = controlError(409, 'tenant_exists', 'A tenant has this name. Choose another one, or delete it first.')
/** The earliest that a clock can show, milliseconds since 1970: so that all it ever shows has a year of four digits. */
const earliestTime = Date.UTC(1900, 0)
const wrongTime = refuseFields({
  field: 'frozen_at',
  issue: `must be a time that exists, from ${iso(earliestTime)} to ${iso(latestTime)}`,
})
const tooMany = controlError(
  409,
  'too_many',
  `There are ${maxTenants} tenants already. Delete those that are done with.`,
)

/** What the operations on tenants as a whole do. */
export function tenantCalls(context: ControlContext): ControlCalls<typeof tenantOperations> {
  const { registry, storage, urls, entropy, now, allowedCallbackHosts } = context
  const onTenant = onTenants(context)
  const random = (bytes: number) => toHex(entropy.bytes(bytes))
  const shown = (tenant: Tenant, status = 200) => done(accountView(tenant, urls), status)
  const refuseCallback = (url: string | null | undefined): JsonResponse | undefined => {
    const issue = url == null ? undefined : refuseCallbackUrl(url, allowedCallbackHosts)
    return issue === undefined ? undefined : refuseFields({ field: 'callback_url', issue })
  }

  return {
    async createTenant({ body }) {
      const { value, refused } = readInput(tenantCreation, body)
      if (refused) return refused
      const refusedCallback = refuseCallback(value.callback_url)
      if (refusedCallback) return refusedCallback
      if (registry.list().length >= maxTenants) return tooMany
      const {
        name = `t-${random(6)}`,
        seed = random(16),
        profile = context.profile,
        settings,
        callback_url,
        frozen_at,
      } = value
      const frozenAt = frozen_at === undefined ? undefined : Date.parse(frozen_at)
      // Asked this way round, a text that is no time is refused too.
      if (frozenAt !== undefined && !(frozenAt >= earliestTime && frozenAt <= latestTime)) return wrongTime
      const record = await createTenant({
        tenant: name,
        seed: String(seed),
        created_at: now(),
        settings: { ...(profile ? { profile } : {}), ...settings },
        callback_url: callback_url ?? undefined,
        frozen_at: frozenAt,
      })
      const tenant = await registry.add(record)
      return tenant ? shown(tenant, 201) : nameTaken
    },
    listTenants: async () => done({ tenants: registry.list().map(tenant => accountView(tenant, urls)) }),
    showTenant: onTenant(async tenant => shown(tenant)),
    changeTenant: onTenant(async (tenant, { body }) => {
      const { value, refused } = readInput(tenantChange, body)
      if (refused) return refused
      const refusedCallback = refuseCallback(value.callback_url)
      if (refusedCallback) return refusedCallback
      const { issues } = await registry.change(tenant.record.tenant, record => changeTenant(record, value))
      return issues ? refuseFields(...issues) : shown(tenant)
    }),
    deleteTenant: onTenant(async ({ record: { tenant } }) => {
      if (tenant === demoName) return demoStays
      await registry.remove(tenant)
      return done({ deleted: tenant })
    }),
    resetTenant: onTenant(async tenant => {
      await registry.restore(tenant.record.tenant, async record => {
        const remade = await resetRecord(record)
        await storage.clearTenant(remade)
        return remade
      })
      return shown(tenant)
    }),
  }
}
