import { canonicalTarget, refuseAllowedHost } from '../never-distribute/callback-target.ts'
import type { TenantRecord, TokenRecord } from '../storage/tenant-record.ts'
import { createToken } from '../tenants/tenant-tokens.ts'
import type { administrationOperations } from './administration.ts'
import { type ControlContext, type ControlHandlers, iso, onTenants } from './context.ts'
import { controlError, noSuch, refuseFields } from './control-error.ts'

/** How many tokens, and how many hosts, a tenant has at most. */
const most = 100

const tooMany = (things: string, what: string) =>
  controlError('too_many', `The tenant has ${most} ${things} already. ${what} those that you no longer need.`)

/** The handlers of what the operator decides about a tenant. */
export function administrationHandlers(context: ControlContext): ControlHandlers<typeof administrationOperations> {
  const { registry, entropy, now, allowedCallbackHosts, place } = context
  const onTenant = onTenants(context)
  const change = (tenant: string, fields: (record: TenantRecord) => Partial<TenantRecord>) =>
    registry.change(tenant, async record => ({ record: { ...record, ...fields(record) } }))
  const hostsView = ({ record }: { readonly record: TenantRecord }) => ({
    body: {
      hosts: [
        ...allowedCallbackHosts.map(host => ({ host, allowed: 'at_start' as const })),
        ...(record.callback_hosts ?? []).map(host => ({ host, allowed: 'for_this_tenant' as const })),
      ],
    },
  })

  return {
    createToken: onTenant(async ({ record: { tenant, tokens = [] } }, { input }) => {
      if (tokens.length >= most) return tooMany('tokens', 'Revoke')
      const { record, token } = await createToken(tenant, { ...input, created_at: now() }, entropy)
      await change(tenant, ({ tokens = [] }) => ({ tokens: [...tokens, record] }))
      return { body: { ...tokenView(record), token } }
    }),
    listTokens: onTenant(async ({ record: { tokens = [] } }) => ({ body: { tokens: tokens.map(tokenView) } })),
    revokeToken: onTenant(async ({ record: { tenant, tokens = [] } }, { params: { token_id } }) => {
      if (!tokens.some(token => token.token_id === token_id)) return noSuch('token')
      await change(tenant, ({ tokens = [] }) => ({ tokens: tokens.filter(token => token.token_id !== token_id) }))
      return { body: { revoked: token_id } }
    }),
    allowHost: onTenant(async (tenant, { input }) => {
      const issue = refuseAllowedHost(input.host, place)
      if (issue !== undefined) return refuseFields({ field: 'host', issue })
      const host = canonicalTarget(input.host) ?? ''
      const { callback_hosts = [] } = tenant.record
      if (callback_hosts.length >= most && !callback_hosts.includes(host)) return tooMany('hosts', 'Remove')
      await change(tenant.record.tenant, ({ callback_hosts = [] }) => ({
        callback_hosts: [...new Set([...callback_hosts, host])],
      }))
      return hostsView(tenant)
    }),
    listHosts: onTenant(async tenant => hostsView(tenant)),
    removeHost: onTenant(async (tenant, { params }) => {
      const host = canonicalTarget(params.host)
      if (!tenant.record.callback_hosts?.some(allowed => allowed === host)) return notAllowed
      await change(tenant.record.tenant, ({ callback_hosts = [] }) => ({
        callback_hosts: callback_hosts.filter(allowed => allowed !== host),
      }))
      return hostsView(tenant)
    }),
  }
}

const notAllowed = controlError(
  'not_found',
  'This host was not allowed for the tenant at run time. To list its hosts: GET …/hosts, or lead-sandbox hosts list.',
)

const tokenView = ({ token_id, role, name, created_at }: TokenRecord) => ({
  token_id,
  role,
  ...(name === undefined ? {} : { name }),
  created_at: iso(created_at),
})
