import type { Settings } from '@lead-distribution/engine'
import type { CallReply, Handler } from '@lead-distribution/http'
import { createHandler } from '@lead-distribution/http'
import { toHex } from '../chance/derive.ts'
import { refuseCallbackUrl } from '../never-distribute/callback-target.ts'
import type { Urls } from '../pages/urls.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { SandboxStorage } from '../ports/sandbox-storage.ts'
import { changeTenant } from '../tenants/change-tenant.ts'
import { createTenant } from '../tenants/create-tenant.ts'
import { demoName } from '../tenants/demo-tenant.ts'
import type { Tenant } from '../tenants/tenant.ts'
import type { TenantRegistry } from '../tenants/tenant-registry.ts'
import { type ControlAccess, refuseAccess } from './access.ts'
import { tenantChange, tenantCreation } from './account.shape.ts'
import { controlError, noSuchTenant, readInput, refuseFields } from './control-error.ts'
import { controlOperations, controlPath, maxControlBodyBytes } from './operations.ts'
import { accountView, leadView } from './views.ts'

/** What the control plane works on. */
export interface ControlPlaneOptions {
  readonly registry: TenantRegistry
  readonly storage: SandboxStorage
  readonly urls: Urls
  readonly entropy: Entropy
  readonly now: () => number
  readonly access: ControlAccess
  /** The profile of a tenant that names none. */
  readonly profile?: Settings['profile'] | undefined
  readonly allowedCallbackHosts: readonly string[]
  readonly onFault: (fault: unknown) => void
}

const demoStays = controlError(409, 'tenant_stays', 'The tenant demo is always there. Delete tenants of your own.')

/** The control plane as a handler: tenants and what they have. */
export function createControlPlane(options: ControlPlaneOptions): Handler {
  const { registry, storage, urls, entropy, now, access, allowedCallbackHosts, onFault } = options
  const random = (bytes: number) => toHex(entropy.bytes(bytes))

  const refuseCallback = (url: string | null | undefined): CallReply | undefined => {
    const issue = url == null ? undefined : refuseCallbackUrl(url, allowedCallbackHosts)
    return issue === undefined ? undefined : refuseFields({ field: 'callback_url', issue })
  }
  const shown = (status: number, tenant: Tenant): CallReply => ({ status, body: accountView(tenant, urls) })
  /** An operation on a tenant that is there. */
  const onTenant =
    (run: (tenant: Tenant, params: Readonly<Record<string, string>>, body: unknown) => Promise<CallReply>) =>
    async (_: undefined, { params, body }: { params: Readonly<Record<string, string>>; body: unknown }) => {
      const tenant = registry.find(params.tenant ?? '')
      if (!tenant) return noSuchTenant
      try {
        return await run(tenant, params, body)
      } catch (fault) {
        // Deleted while the call was under way.
        if (registry.find(tenant.record.tenant) !== tenant) return noSuchTenant
        throw fault
      }
    }

  return createHandler<keyof typeof controlOperations, undefined>({
    basePath: controlPath,
    operations: controlOperations,
    maxBodyBytes: maxControlBodyBytes,
    onFault,
    authenticate: async ({ headers }) => {
      const refused = refuseAccess(access, headers)
      return refused ? { refused } : { caller: undefined }
    },
    implementations: {
      async createTenant(_, { body }) {
        const { value, refused } = readInput(tenantCreation, body)
        if (refused) return refused
        const refusedCallback = refuseCallback(value.callback_url)
        if (refusedCallback) return refusedCallback
        const { name = `t-${random(6)}`, seed = random(16), profile = options.profile, settings, callback_url } = value
        const record = await createTenant({
          tenant: name,
          seed: String(seed),
          created_at: now(),
          settings: { ...(profile ? { profile } : {}), ...settings },
          callback_url: callback_url ?? undefined,
        })
        const tenant = await registry.add(record)
        return tenant
          ? shown(201, tenant)
          : controlError(409, 'tenant_exists', 'A tenant has this name. Choose another one, or delete it first.')
      },
      listTenants: async () => ({
        status: 200,
        body: { tenants: registry.list().map(tenant => accountView(tenant, urls)) },
      }),
      showTenant: onTenant(async tenant => shown(200, tenant)),
      changeTenant: onTenant(async (tenant, _, body) => {
        const { value, refused } = readInput(tenantChange, body)
        if (refused) return refused
        const refusedCallback = refuseCallback(value.callback_url)
        if (refusedCallback) return refusedCallback
        const { issues } = await registry.change(tenant.record.tenant, record => changeTenant(record, value))
        return issues ? refuseFields(...issues) : shown(200, tenant)
      }),
      deleteTenant: onTenant(async tenant => {
        if (tenant.record.tenant === demoName) return demoStays
        await registry.remove(tenant.record.tenant)
        return { status: 200, body: { deleted: tenant.record.tenant } }
      }),
      showLead: onTenant(async (tenant, { lead_id = '' }) => {
        const file = await tenant.ports.storage.transact(async tables => {
          const lead = await tables.findLead(lead_id.toLowerCase())
          return (
            lead && {
              lead,
              events: await tables.listEvents(lead.lead_id),
              callbacks: await tables.listCallbacks(lead.lead_id),
            }
          )
        })
        return file
          ? { status: 200, body: await leadView(file, tenant, urls) }
          : controlError(404, 'not_found', 'The tenant has no lead of this id.')
      }),
      showInbox: onTenant(async ({ record }) => {
        const entries = await storage.listInbox(record.tenant)
        const callbacks = entries.map(entry => ({ ...entry, received_at: new Date(entry.received_at).toISOString() }))
        return { status: 200, body: { callbacks } }
      }),
    },
  })
}
