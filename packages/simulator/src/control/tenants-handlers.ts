import { toHex } from '@lead-distribution/contract'
import { durationMs } from '@lead-distribution/engine'
import type { Refusal } from '@lead-distribution/http'
import { isInbox } from '../callbacks/inbox.ts'
import { type Place, refuseBackendUrl, refuseCallbackUrl } from '../never-distribute/callback-target.ts'
import type { Urls } from '../paths.ts'
import type { TenantRecord } from '../storage/tenant-record.ts'
import { changeTenant, type TenantChange } from '../tenants/change-tenant.ts'
import { createTenant, demoName } from '../tenants/create-tenant.ts'
import type { Tenant } from '../tenants/tenant.ts'
import { earliestTime, latestTime } from '../time/time-control.ts'
import type { Principal } from './access.ts'
import { readChange } from './account-change.ts'
import { type ControlContext, type ControlHandlers, iso, onTenants, openTo } from './context.ts'
import { controlError, refuseFields } from './control-error.ts'
import { readPage } from './operation-defaults.ts'
import type { HandledWhenBroken, TenantCreation, tenantOperations } from './tenants.ts'

/** How many tenants a sandbox has at most. */
const maxTenants = 10_000

const nameTaken = controlError('tenant_exists', 'A tenant has this name. Choose another one, or delete it first.')
const wrongTime = refuseFields({
  field: 'frozen_at',
  issue: `must be a time that exists, from ${iso(earliestTime)} to ${iso(latestTime)}`,
})
const unknownBefore = refuseFields({
  field: 'before',
  issue: 'is no tenant, or no longer: leave it out to list from the start',
})
const tooMany = controlError(
  'too_many',
  `There are ${maxTenants} tenants already. Delete those that you no longer need.`,
)

const demoStaysForever = refuseFields({
  field: 'expires_in',
  issue: 'must be left out for the tenant demo, which always exists',
})

/** When a tenant is deleted, milliseconds since 1970; undefined for never. */
const expiryOf = (expiresIn: string | null | undefined, now: number) =>
  expiresIn == null ? undefined : now + durationMs(expiresIn)

/** The handlers of the operations on tenants as a whole, but those of {@link brokenTenantHandlers}. */
export function tenantHandlers(
  context: ControlContext,
): Omit<ControlHandlers<typeof tenantOperations>, HandledWhenBroken> {
  const { registry, urls, allowedCallbackHosts, place, now } = context
  const onTenant = onTenants(context)

  return {
    async createTenant(_principal, { input }) {
      const { name: named } = input
      const inbox = named === undefined ? undefined : urls.inbox(named)
      const refused = refuseTargets(input, { hosts: allowedCallbackHosts, place, inbox })
      if (refused) return refused
      if (registry.list().length + registry.broken.list().length >= maxTenants) return tooMany
      const record = await newRecord(input, context)
      if (!record) return wrongTime
      const tenant = await registry.add(record)
      return tenant ? { body: accountView(tenant, urls) } : nameTaken
    },
    async listTenants(principal, { input: { limit = Number.POSITIVE_INFINITY, before } }) {
      const all = openTo(principal, context)
      const place = all.findIndex(({ record }) => record.tenant === before)
      if (before !== undefined && place < 0) return unknownBefore
      const rest = all.slice(place + 1)
      const { entries, ...next } = await readPage({
        limit,
        read: async page => rest.splice(0, page.limit),
        show: tenant => accountView(tenant, urls),
        idOf: ({ record }) => record.tenant,
      })
      const broken = before === undefined ? brokenTo(principal, context) : []
      return { body: { tenants: entries, ...next, ...(broken.length > 0 && { broken }) } }
    },
    showTenant: onTenant(async tenant => ({ body: accountView(tenant, urls) })),
    changeTenant: onTenant(async (tenant, { input }) => {
      const { tenant: name, callback_hosts = [] } = tenant.record
      const { change, expires_in, refused } = readChange(input, accountView(tenant, urls))
      if (refused) return refused
      const hosts = [...allowedCallbackHosts, ...callback_hosts]
      const forbidden = refuseTargets(change, { hosts, place, inbox: urls.inbox(name) })
      if (forbidden) return forbidden
      if (expires_in != null && name === demoName) return demoStaysForever
      const expiry = expires_in === undefined ? {} : { expires_at: expiryOf(expires_in, now()) }
      const { issues } = await registry.change(name, record => changeTenant({ ...record, ...expiry }, change))
      if (issues) return refuseFields(...issues)
      // Held: what was under way has ended. Released: what is due has been tried.
      if (change.callbacks_held !== undefined) await tenant.scheduler.settle()
      return { body: accountView(tenant, urls) }
    }),
  }
}

/** The broken tenants that a principal's token opens. */
function brokenTo({ tenant: own }: Principal, { registry }: Pick<ControlContext, 'registry'>) {
  return registry.broken
    .list()
    .filter(({ tenant }) => own === undefined || tenant === own)
    .map(({ tenant, reason }) => ({ tenant, reason }))
}

/** By what the addresses of a tenant are judged. */
interface TargetRules {
  /** The hosts that are allowed for it. */
  readonly hosts: readonly string[]
  readonly place: Place
  /** The URL of its own inbox, which it may name: no connection leads there. */
  readonly inbox: string | undefined
}

/** The refusal of addresses that nothing may be sent to: that of the callbacks, and those of advertisers' back ends. */
export function refuseTargets(
  { callback_url, advertisers = [] }: Pick<TenantChange, 'callback_url' | 'advertisers'>,
  { hosts, place, inbox }: TargetRules,
): Refusal | undefined {
  const isFree = callback_url == null || (inbox !== undefined && isInbox(callback_url, inbox))
  const issue = isFree ? undefined : refuseCallbackUrl(callback_url, hosts, place)
  if (issue !== undefined) return refuseFields({ field: 'callback_url', issue })
  const issues = advertisers.flatMap(({ backend_url }, index) => {
    const issue = backend_url == null ? undefined : refuseBackendUrl(backend_url, hosts, place)
    return issue === undefined ? [] : [{ field: `advertisers.${index}.backend_url`, issue }]
  })
  return issues.length === 0 ? undefined : refuseFields(...issues)
}

/** Makes the record of a new tenant; undefined where its clock is to be frozen at a time that no clock shows. */
async function newRecord(creation: TenantCreation, context: ControlContext): Promise<TenantRecord | undefined> {
  const random = (bytes: number) => toHex(context.entropy.bytes(bytes))
  const { name = `t-${random(6)}`, seed = random(16), profile = context.profile, settings, callback_url } = creation
  const frozenAt = creation.frozen_at === undefined ? undefined : Date.parse(creation.frozen_at)
  // Negated as a whole, since NaN, a time that does not exist, compares as false.
  if (frozenAt !== undefined && !(frozenAt >= earliestTime && frozenAt <= latestTime)) return undefined
  const created_at = context.now()
  const record = await createTenant({
    tenant: name,
    seed: String(seed),
    created_at,
    settings: { ...(profile ? { profile } : {}), ...settings },
    callback_url: callback_url ?? undefined,
    frozen_at: frozenAt,
  })
  return { ...record, expires_at: expiryOf(creation.expires_in, created_at) }
}

/** An account as the control plane shows it, keys and secrets included: it is what its user integrates with. */
export function accountView({ record, account }: Pick<Tenant, 'record' | 'account'>, urls: Urls) {
  const { publisher, advertisers, products, blacklist } = record
  return {
    tenant: record.tenant,
    base_url: urls.base,
    publisher: { ...publisher, callback_url: account.publisher.callback_url },
    advertisers,
    products,
    blacklist,
    settings: account.settings,
    callbacks_held: record.callbacks_held ?? false,
    ...(record.expires_at === undefined ? {} : { expires_at: iso(record.expires_at) }),
  }
}
