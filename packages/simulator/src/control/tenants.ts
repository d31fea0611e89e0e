import { dateTimeMs, durationMs, toHex } from '@lead-distribution/contract'
import { account, dateTime, publisherCredentials, settings } from '@lead-distribution/contract/shapes'
import type { Refusal } from '@lead-distribution/http'
import * as z from 'zod/mini'
import { automaticSnapshots, maxSnapshotBytes } from '../bounds.ts'
import { isInbox } from '../callbacks/inbox.ts'
import { allowedHosts, type Place, refuseBackendUrl, refuseCallbackUrl } from '../egress/callback-target.ts'
import type { TenantRecord } from '../storage/tenant-record.ts'
import { newTenant } from '../tenants/account.ts'
import type { BrokenTenant } from '../tenants/broken-tenants.ts'
import {
  type AccountChange,
  accountChange,
  changeTenant,
  choosesCredentials,
  withInitialAdvertisers,
} from '../tenants/change-tenant.ts'
import { createTenant, demoName, resetRecord } from '../tenants/create-tenant.ts'
import { newTenantBodies, remakeDemo } from '../tenants/demo-tenant.ts'
import { earliestTime, latestTime } from '../time/clock.ts'
import { adminOnly, tenantsOpenTo } from './access.ts'
import { accountView, readChange } from './account.ts'
import { controlError, noSuchTenant, refuseBroken, refuseFields } from './control-error.ts'
import { type ControlContext, operation } from './operation.ts'
import { readPage } from './paging.ts'
import { iso, wholeNumber } from './shapes.ts'

const tenantCreation = z.strictObject({
  name: z.optional(
    z
      .string()
      .check(
        z.regex(
          /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
          'must be 1 to 63 lower-case letters, digits and inner hyphens',
        ),
      ),
  ),
  seed: z.optional(z.union([z.string().check(z.minLength(1), z.maxLength(200)), z.int()])),
  profile: z.optional(settings.shape.profile),
  settings: accountChange.shape.settings,
  callback_url: accountChange.shape.callback_url,
  frozen_at: z.optional(dateTime),
  expires_in: accountChange.shape.expires_in,
  publisher: z.optional(z.partial(publisherCredentials)),
  advertisers: accountChange.shape.advertisers,
})

const tenantQuery = z.strictObject({ limit: z.optional(wholeNumber('limit')), before: z.optional(z.string()) })

const brokenTenant = z.strictObject({ tenant: z.string(), reason: z.string() })

/** A broken tenant's stored data, unchanged: its record (as text if it is not JSON) and the rows of each table. */
const rawTenant = z.strictObject({
  format: z.string(),
  tenant: z.string(),
  reason: z.string(),
  record: z.unknown(),
  tables: z.record(z.string(), z.array(z.looseObject({}))),
})

/** The maximum number of tenants in a sandbox. */
const maxTenants = 10_000

/** The value of `format` in a raw export. */
const rawFormat = 'lead-sandbox-raw/1'

const nameTaken = controlError(
  'tenant_exists',
  'A tenant already has this name. Choose another one, or delete it first.',
)
const wrongTime = refuseFields({
  field: 'frozen_at',
  issue: `must be a time that exists, from ${iso(earliestTime)} to ${iso(latestTime)}`,
})
const unknownBefore = refuseFields({
  field: 'before',
  issue: 'must be the name of an existing tenant; to list from the start, leave it out',
})
const tooMany = controlError(
  'too_many',
  `There are already ${maxTenants} tenants. Delete those that you no longer need.`,
)
const demoStays = controlError(
  'tenant_stays',
  'The tenant demo cannot be deleted. Delete only tenants that you created.',
)
const demoNeverExpires = refuseFields({
  field: 'expires_in',
  issue: 'must be left out for the tenant demo, which never expires',
})
const onlyMasked = refuseFields({
  field: 'settings.journal_bodies',
  issue: 'must be masked or off here: full requires a sandbox that `lead-sandbox start` runs for this machine alone',
})
const notBroken = controlError(
  'not_found',
  'Raw exports are only for broken tenants, and this one works. Save a snapshot and export it: POST …/snapshots, GET …/snapshots/NAME/file.',
)
const rawTooLarge = controlError(
  'too_many',
  `The tenant is larger than ${maxSnapshotBytes / 2 ** 20} MiB. Copy the file or the database of the sandbox instead.`,
)
const seedUnreadable = ({ tenant, reason }: BrokenTenant) =>
  controlError(
    'tenant_broken',
    `The tenant ${tenant} is broken: ${reason}. Its seed cannot be read, so it cannot be reset to the same ids and keys. Export its stored data (GET /_sandbox/v1/tenants/${tenant}/raw), delete it, and create it again.`,
  )

export const tenantOperations = {
  createTenant: operation(
    {
      needs: 'admin',
      title: 'Create a tenant',
      description:
        'Creates a tenant: an isolated account with its own leads, settings, clock and callbacks. Keys and secrets are random unless you choose them. The part of a key before its last underscore must be unique in the sandbox.',
      methods: ['POST'],
      path: '/tenants',
      input: tenantCreation,
      status: 201,
      reply: account,
      errors: ['tenant_exists', 'too_many'],
    },
    async ({ input }, context) => {
      const { registry, urls, allowedCallbackHosts, place } = context
      const inbox = input.name === undefined ? undefined : urls.inbox(input.name)
      const refused = refuseFull(input, context) ?? refuseTargets(input, { hosts: allowedCallbackHosts, place, inbox })
      if (refused) return refused
      if (registry.list().length + registry.broken.list().length >= maxTenants) return tooMany
      const made = await newRecord(input, context)
      if (!made) return wrongTime
      const { publisher, advertisers } = input
      const add = async () => {
        const { record, issues } = await changeTenant(made, { publisher, advertisers }, registry.holderOf)
        if (issues) return refuseFields(...issues)
        const tenant = await registry.add(advertisers ? await withInitialAdvertisers(record, advertisers) : record)
        return tenant ? { body: accountView(tenant, urls) } : nameTaken
      }
      return choosesCredentials(input) ? registry.choosingKeys(add) : add()
    },
  ),
  listTenants: operation(
    {
      title: 'List tenants',
      description:
        'Returns the accounts of all tenants that the token opens, oldest first. Tenants that could not be opened are in `broken`, on the first page.',
      methods: ['GET'],
      path: '/tenants',
      input: tenantQuery,
      reply: z.strictObject({
        tenants: z.array(account),
        next: z.optional(z.string()),
        /** Tenants that could not be opened. Only on the first page; absent if there are none. */
        broken: z.optional(z.array(brokenTenant)),
      }),
    },
    async ({ principal, input: { limit = Number.POSITIVE_INFINITY, before } }, { registry, urls }) => {
      const all = tenantsOpenTo(principal, registry)
      const place = all.findIndex(({ record }) => record.tenant === before)
      if (before !== undefined && place < 0) return unknownBefore
      const rest = all.slice(place + 1)
      const { entries, ...next } = await readPage({
        limit,
        read: async page => rest.splice(0, page.limit),
        show: tenant => accountView(tenant, urls),
        idOf: ({ record }) => record.tenant,
      })
      const broken = registry.broken
        .list()
        .filter(({ tenant }) => before === undefined && (principal.tenant ?? tenant) === tenant)
        .map(({ tenant, reason }) => ({ tenant, reason }))
      return { body: { tenants: entries, ...next, ...(broken.length > 0 && { broken }) } }
    },
  ),
  showTenant: operation(
    {
      title: 'Show a tenant',
      description: "Returns the tenant's account.",
      methods: ['GET'],
      path: '/tenants/:tenant',
      reply: account,
    },
    async ({ tenant }, { urls }) => ({ body: accountView(tenant, urls) }),
  ),
  changeTenant: operation(
    {
      title: 'Change a tenant',
      description:
        'Changes settings, the callback URL, products, advertisers, the blacklist or the expiry, and holds or releases callbacks. List products and advertisers to remove by id in `remove`; their leads stay. Also accepts an account as the sandbox returns it. Choosing a key or a secret requires the admin token.',
      methods: ['PATCH'],
      path: '/tenants/:tenant',
      input: accountChange,
      reply: account,
    },
    async ({ principal, tenant, input }, context) => {
      const { registry, urls, allowedCallbackHosts, place, now } = context
      const { tenant: name, callback_hosts } = tenant.record
      const { change, refused } = readChange(input, accountView(tenant, urls))
      if (refused) return refused
      const { expires_in } = change
      const hosts = allowedHosts(allowedCallbackHosts, callback_hosts, place)
      const forbidden = refuseFull(change, context) ?? refuseTargets(change, { hosts, place, inbox: urls.inbox(name) })
      if (forbidden) return forbidden
      if (expires_in != null && name === demoName) return demoNeverExpires
      const expiry = expires_in === undefined ? {} : { expires_at: expiryOf(expires_in, now()) }
      const choosesKeys = choosesCredentials(change)
      if (choosesKeys && principal.role !== 'admin') return adminOnly
      const apply = () =>
        registry.change(name, record => changeTenant({ ...record, ...expiry }, change, registry.holderOf))
      const { issues } = await (choosesKeys ? registry.choosingKeys(apply) : apply())
      if (issues) return refuseFields(...issues)
      // Respond after attempts in flight have ended (held), or after due callbacks were attempted (released).
      if (change.callbacks_held !== undefined) await tenant.worker.settle()
      return { body: accountView(tenant, urls) }
    },
  ),
  deleteTenant: operation(
    {
      title: 'Delete a tenant',
      description: 'Deletes the tenant and everything in it, including its snapshots. This cannot be undone.',
      methods: ['DELETE'],
      path: '/tenants/:tenant',
      reply: z.strictObject({ deleted: z.string() }),
      errors: ['tenant_stays'],
    },
    ({ tenant: { record } }, context) => removeTenant(record.tenant, context),
    ({ tenant }, context) => removeTenant(tenant, context),
  ),
  exportRaw: operation(
    {
      // The keys are derived from the seed.
      needs: 'write',
      title: 'Export a broken tenant',
      description:
        'Returns all stored data of a tenant that could not be opened, unchanged, including its seed and keys.',
      methods: ['GET'],
      path: '/tenants/:tenant/raw',
      reply: rawTenant,
      errors: ['too_many'],
    },
    async () => notBroken,
    async (broken, { storage }) => {
      const { tenant, reason } = broken
      if (!storage.readRaw) return refuseBroken(broken)
      const raw = await storage.readRaw(tenant, maxSnapshotBytes)
      return raw ? { body: { format: rawFormat, tenant, reason, ...raw } } : rawTooLarge
    },
  ),
  resetTenant: operation(
    {
      title: 'Reset a tenant',
      description:
        'Resets the tenant to its state at creation, with the same ids and settings. Keeps only its callback URL, keys, secrets and snapshots. First saves the tenant as the snapshot `before-reset`.',
      methods: ['POST'],
      path: '/tenants/:tenant/reset',
      reply: account,
    },
    async ({ tenant }, { registry, storage, urls, now }) => {
      await registry.restore(tenant.record.tenant, async before => {
        await storage.saveSnapshot(before.tenant, { name: automaticSnapshots.reset, saved_at: now() })
        const remade = await resetRecord(before)
        await storage.clearTenant(remade)
        return newTenant(remade)
      })
      return { body: accountView(tenant, urls) }
    },
    async (broken, { registry, urls, demo }) => {
      const { tenant: name, record } = broken
      if (name !== demoName && !record) return seedUnreadable(broken)
      await registry.repair(name === demoName || !record ? await remakeDemo(record, demo) : await resetRecord(record))
      const tenant = registry.find(name)
      return tenant ? { body: accountView(tenant, urls) } : noSuchTenant
    },
  ),
}

async function removeTenant(tenant: string, { registry }: ControlContext) {
  if (tenant === demoName) return demoStays
  await registry.remove(tenant)
  return { body: { deleted: tenant } }
}

/** Returns the time at which a tenant expires, in milliseconds since 1970; undefined for never. */
const expiryOf = (expiresIn: string | null | undefined, now: number) =>
  expiresIn == null ? undefined : now + durationMs(expiresIn)

/** Refuses to record requests in full where others may read them. */
function refuseFull({ settings }: Pick<AccountChange, 'settings'>, { demo }: ControlContext): Refusal | undefined {
  return settings?.journal_bodies === 'full' && !demo.mayKeepFull ? onlyMasked : undefined
}

interface TargetRules {
  readonly hosts: readonly string[]
  readonly place: Place
  /** The URL of the tenant's inbox, which is always allowed: it needs no connection. */
  readonly inbox: string | undefined
}

/** Refuses callback and back-end URLs that the sandbox may not send to. */
export function refuseTargets(
  { callback_url, advertisers = [] }: Pick<AccountChange, 'callback_url' | 'advertisers'>,
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

/** Creates the record of a new tenant; undefined if its clock cannot be frozen at the given time. */
async function newRecord(
  creation: z.output<typeof tenantCreation>,
  context: ControlContext,
): Promise<TenantRecord | undefined> {
  const random = (bytes: number) => toHex(context.entropy.bytes(bytes))
  const { name = `t-${random(6)}`, seed = random(16), profile = context.profile, settings, callback_url } = creation
  // Where others may read a tenant, it records no bodies unless its creator asks for them.
  const kept = context.demo.shared ? {} : { journal_bodies: newTenantBodies(context.demo) }
  const frozenAt = creation.frozen_at === undefined ? undefined : dateTimeMs(creation.frozen_at)
  // Negated as a whole, because comparisons with NaN, an invalid time, are false.
  if (frozenAt !== undefined && !(frozenAt >= earliestTime && frozenAt <= latestTime)) return undefined
  const created_at = context.now()
  const record = await createTenant({
    tenant: name,
    seed: String(seed),
    created_at,
    settings: { ...kept, ...(profile ? { profile } : {}), ...settings },
    callback_url: callback_url ?? undefined,
    frozen_at: frozenAt,
  })
  return { ...record, expires_at: expiryOf(creation.expires_in, created_at) }
}
