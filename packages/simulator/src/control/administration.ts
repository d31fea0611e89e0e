import { dateTime, displayName } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import { allowedHosts, canonicalTarget, refuseAllowedHost } from '../egress/callback-target.ts'
import type { TenantRecord, TokenRecord } from '../storage/tenant-record.ts'
import { createToken } from '../tenants/tokens.ts'
import { controlError, noSuch, refuseFields } from './control-error.ts'
import { type ControlContext, operation } from './operation.ts'
import { iso } from './shapes.ts'

const role = z.enum(['read', 'write'])

/** A token without its secret text, as lists show it. */
export const token = z.strictObject({
  token_id: z.string(),
  role,
  name: z.optional(displayName),
  created_at: dateTime,
})

/** The body that creates a token. `name` is a label, such as the name of a pipeline. */
const newToken = z.strictObject({ role, name: z.optional(displayName) })

/** The host of a callback URL, or one of its ports, such as `127.0.0.1:3000`. */
const host = z.string().check(z.minLength(1), z.maxLength(253))

/** The hosts besides this machine that a tenant's callbacks may go to: allowed at startup, or later for this tenant. */
const hostList = z.strictObject({
  hosts: z.array(z.strictObject({ host: z.string(), allowed: z.enum(['at_start', 'for_this_tenant']) })),
})

/** The maximum number of tokens, and of hosts, per tenant. */
const most = 100

const tooMany = (things: string, action: string) =>
  controlError('too_many', `The tenant already has ${most} ${things}. ${action} those that you no longer need.`)

const fixedHosts = controlError(
  'forbidden',
  'With --local, anyone who reaches the port could allow a host, so none is allowed while the sandbox runs. Start it with --allow-callback-host HOST, or with --admin-token instead of --local.',
)

const notAllowed = controlError(
  'not_found',
  'This host was not allowed for the tenant at run time. To list its hosts: GET …/hosts, or lead-sandbox hosts list.',
)

export const administrationOperations = {
  createToken: operation(
    {
      needs: 'admin',
      title: 'Create a token',
      description: 'The token opens only this tenant. This response is the only one that contains its text.',
      methods: ['POST'],
      path: '/tenants/:tenant/tokens',
      input: newToken,
      status: 201,
      reply: z.extend(token, { token: z.string() }),
      errors: ['too_many'],
    },
    async ({ tenant: { record: before }, input }, context) => {
      const { tenant, tokens = [] } = before
      if (tokens.length >= most) return tooMany('tokens', 'Revoke')
      const { record, token } = await createToken(tenant, { ...input, created_at: context.now() }, context.entropy)
      await changeRecord(context, tenant, ({ tokens = [] }) => ({ tokens: [...tokens, record] }))
      return { body: { ...tokenView(record), token } }
    },
  ),
  listTokens: operation(
    {
      needs: 'admin',
      title: 'List tokens',
      description: "Returns the tenant's tokens, oldest first, without their text.",
      methods: ['GET'],
      path: '/tenants/:tenant/tokens',
      reply: z.strictObject({ tokens: z.array(token) }),
    },
    async ({ tenant: { record } }) => ({ body: { tokens: (record.tokens ?? []).map(tokenView) } }),
  ),
  revokeToken: operation(
    {
      needs: 'admin',
      title: 'Revoke a token',
      description: "Revokes the token at once and ends the tenant's streams.",
      methods: ['DELETE'],
      path: '/tenants/:tenant/tokens/:token_id',
      reply: z.strictObject({ revoked: z.string() }),
    },
    async ({ tenant: { record }, params: { token_id } }, context) => {
      const { tenant, tokens = [] } = record
      if (!tokens.some(token => token.token_id === token_id)) return noSuch('token')
      await changeRecord(context, tenant, ({ tokens = [] }) => ({
        tokens: tokens.filter(token => token.token_id !== token_id),
      }))
      return { body: { revoked: token_id } }
    },
  ),
  allowHost: operation(
    {
      needs: 'admin',
      title: 'Allow a host',
      description: "Allows the tenant's callbacks to go to a host other than this machine.",
      methods: ['POST'],
      path: '/tenants/:tenant/hosts',
      input: z.strictObject({ host }),
      reply: hostList,
      errors: ['too_many'],
    },
    async ({ tenant, input }, context) => {
      if (context.place.hasFixedHosts) return fixedHosts
      const issue = refuseAllowedHost(input.host, context.place)
      if (issue !== undefined) return refuseFields({ field: 'host', issue })
      const host = canonicalTarget(input.host) ?? ''
      const { callback_hosts = [] } = tenant.record
      if (callback_hosts.length >= most && !callback_hosts.includes(host)) return tooMany('hosts', 'Remove')
      await changeRecord(context, tenant.record.tenant, ({ callback_hosts = [] }) => ({
        callback_hosts: [...new Set([...callback_hosts, host])],
      }))
      return { body: hostsView(tenant.record, context) }
    },
  ),
  listHosts: operation(
    {
      title: 'List allowed hosts',
      description: "Returns the hosts besides this machine that the tenant's callbacks may go to.",
      methods: ['GET'],
      path: '/tenants/:tenant/hosts',
      reply: hostList,
    },
    async ({ tenant }, context) => ({ body: hostsView(tenant.record, context) }),
  ),
  removeHost: operation(
    {
      needs: 'admin',
      title: 'Remove an allowed host',
      description:
        'Removes the host: callbacks to it fail from now on. Only hosts allowed for this tenant at run time can be removed.',
      methods: ['DELETE'],
      path: '/tenants/:tenant/hosts/:host',
      reply: hostList,
    },
    async ({ tenant, params }, context) => {
      const host = canonicalTarget(params.host)
      if (!tenant.record.callback_hosts?.some(allowed => allowed === host)) return notAllowed
      await changeRecord(context, tenant.record.tenant, ({ callback_hosts = [] }) => ({
        callback_hosts: callback_hosts.filter(allowed => allowed !== host),
      }))
      return { body: hostsView(tenant.record, context) }
    },
  ),
}

function changeRecord(
  { registry }: ControlContext,
  tenant: string,
  fields: (record: TenantRecord) => Partial<TenantRecord>,
) {
  return registry.change(tenant, async record => ({ record: { ...record, ...fields(record) } }))
}

function hostsView({ callback_hosts }: TenantRecord, { allowedCallbackHosts, place }: ControlContext) {
  return {
    hosts: [
      ...allowedCallbackHosts.map(host => ({ host, allowed: 'at_start' as const })),
      ...allowedHosts([], callback_hosts, place).map(host => ({ host, allowed: 'for_this_tenant' as const })),
    ],
  }
}

const tokenView = ({ token_id, role, name, created_at }: TokenRecord) => ({
  token_id,
  role,
  ...(name === undefined ? {} : { name }),
  created_at: iso(created_at),
})
