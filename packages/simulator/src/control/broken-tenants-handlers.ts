import { maxSnapshotBytes } from '../paths.ts'
import type { BrokenTenant } from '../tenants/broken-tenants.ts'
import { demoName, resetRecord } from '../tenants/create-tenant.ts'
import { remakeDemo } from '../tenants/demo-tenant.ts'
import { newTenant } from '../tenants/tenant-account.ts'
import { type ControlContext, type ControlHandlers, onTenants } from './context.ts'
import { controlError, noSuchTenant, refuseBroken } from './control-error.ts'
import type { HandledWhenBroken, tenantOperations } from './tenants.ts'
import { accountView } from './tenants-handlers.ts'

const demoStays = controlError('tenant_stays', 'The tenant demo cannot be deleted. Delete tenants that you created.')
const notBroken = controlError(
  'not_found',
  'Only a broken tenant has a raw export, and nothing is wrong with this one. Save a snapshot and export it: POST …/snapshots, GET …/snapshots/NAME/file.',
)
const rawTooLarge = controlError(
  'too_many',
  `The tenant is larger than ${maxSnapshotBytes / 2 ** 20} MiB: copy the file or the database of the sandbox instead.`,
)
const seedUnreadable = ({ tenant, reason }: BrokenTenant) =>
  controlError(
    'tenant_broken',
    `The tenant ${tenant} is broken: ${reason}. Its seed cannot be read, so it cannot be reset to the same ids and keys: export what is stored of it (GET /_sandbox/v1/tenants/${tenant}/raw), delete it, and create it again.`,
  )

/** The handlers of what can be done with a broken tenant, too. */
export function brokenTenantHandlers(
  context: ControlContext,
): Pick<ControlHandlers<typeof tenantOperations>, HandledWhenBroken> {
  const { registry, storage, urls, demo } = context
  const onTenant = onTenants(context)

  async function repair(broken: BrokenTenant) {
    const { tenant: name, record } = broken
    if (name !== demoName && !record) return seedUnreadable(broken)
    await registry.repair(name === demoName || !record ? await remakeDemo(record, demo) : await resetRecord(record))
    const tenant = registry.find(name)
    return tenant ? { body: accountView(tenant, urls) } : noSuchTenant
  }

  async function remove(tenant: string) {
    if (tenant === demoName) return demoStays
    await registry.remove(tenant)
    return { body: { deleted: tenant } }
  }

  return {
    deleteTenant: onTenant(
      ({ record: { tenant } }) => remove(tenant),
      ({ tenant }) => remove(tenant),
    ),
    exportRaw: onTenant(
      async () => notBroken,
      async broken => {
        const { tenant, reason } = broken
        if (!storage.readRaw) return refuseBroken(broken)
        const raw = await storage.readRaw(tenant, maxSnapshotBytes)
        return raw ? { body: { format: rawFormat, tenant, reason, ...raw } } : rawTooLarge
      },
    ),
    resetTenant: onTenant(async tenant => {
      await registry.restore(tenant.record.tenant, async record => {
        const remade = await resetRecord(record)
        await storage.clearTenant(remade)
        return newTenant(remade)
      })
      return { body: accountView(tenant, urls) }
    }, repair),
  }
}

/** The format that a raw export begins with. */
const rawFormat = 'lead-sandbox-raw/1'
