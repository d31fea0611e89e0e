import { callbackUrl } from '@lead-distribution/contract'
import { account, checkInput, dateTime, fieldIssues } from '@lead-distribution/contract/shapes'
import type { Refusal } from '@lead-distribution/http'
import * as z from 'zod/mini'
import { automaticSnapshots, maxSnapshotBytes } from '../bounds.ts'
import { editUrl } from '../callbacks/deliver.ts'
import { allowedHosts } from '../egress/callback-target.ts'
import type { TenantDocuments } from '../storage/records.ts'
import type { SandboxStorage, SnapshotRecord } from '../storage/sandbox-storage.ts'
import type { TenantRecord } from '../storage/tenant-record.ts'
import { documentsOf, readTenant } from '../tenants/account.ts'
import { withIdentityOf } from '../tenants/change-tenant.ts'
import type { Tenant } from '../tenants/runtime.ts'
import { earliestTime, latestDueTime, shownAt } from '../time/clock.ts'
import { accountView } from './account.ts'
import { controlError, refuseFields } from './control-error.ts'
import { type ControlContext, operation } from './operation.ts'
import { iso } from './shapes.ts'
import { readSnapshotFile, writeSnapshotFile } from './snapshot-file.ts'
import { type RecordLinks, writeRecords } from './snapshot-records.ts'
import { refuseTargets } from './tenants.ts'

const snapshotName = z.string().check(
  // Must not consist only of dots: clients resolve such paths before sending them.
  z.regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'must be 1 to 64 letters, digits, dots, underscores and hyphens, and begin with a letter or a digit',
  ),
)

const newSnapshot = z.strictObject({ name: snapshotName })

export const snapshot = z.strictObject({
  name: snapshotName,
  saved_at: dateTime,
})

/** The maximum number of snapshots per tenant. Each is as large as the tenant. */
const maxSnapshots = 100

/** The maximum size of an exported file: half of the import limit, so that users may indent it before they commit it. */
const maxFileCharacters = maxSnapshotBytes / 2

/** The names that do not count towards the maximum: a tenant has at most one of each. */
const automaticNames: readonly string[] = Object.values(automaticSnapshots)

const tooMany = controlError(
  'too_many',
  `The tenant already has ${maxSnapshots} snapshots. Delete some, or replace one.`,
)

const tooLarge = controlError(
  'too_many',
  `The snapshot exceeds the maximum size of a file: ${maxFileCharacters} characters, or 4 MiB for one record. Reset the tenant, and save only what a test needs.`,
)
const unknownName = refuseFields({
  field: 'name',
  issue: 'must be a snapshot of this tenant; to list them: GET …/snapshots, or lead-sandbox snapshot list',
})

/** Refuses a snapshot from an earlier version that did not validate a file's clock. */
const noTime = refuseFields({
  field: 'name',
  issue: 'must have a clock with a valid time; delete this snapshot, and save or import another',
})

export const snapshotOperations = {
  saveSnapshot: operation(
    {
      title: 'Save a snapshot',
      description:
        'Saves the whole tenant under a name, including its clock and random numbers. Replaces a snapshot of the same name.',
      methods: ['POST'],
      path: '/tenants/:tenant/snapshots',
      input: newSnapshot,
      status: 201,
      reply: snapshot,
      errors: ['too_many'],
    },
    async ({ tenant: { record, journal, lock }, input: { name } }, { storage, now }) => {
      const { tenant } = record
      // Exclusive, so that no request is saved half done.
      return lock.exclusive(async () => {
        if (await isFull(storage, record, name)) return tooMany
        const snapshot = { name, saved_at: now() }
        await journal.flush()
        await storage.saveSnapshot(tenant, snapshot)
        return { body: snapshotView(snapshot) }
      })
    },
  ),
  listSnapshots: operation(
    {
      title: 'List snapshots',
      description: 'Returns the snapshots, oldest first. A reset saves `before-reset`, and a restore `before-restore`.',
      methods: ['GET'],
      path: '/tenants/:tenant/snapshots',
      reply: z.strictObject({ snapshots: z.array(snapshot) }),
    },
    async ({ tenant: { record } }, { storage }) => ({
      body: { snapshots: (await storage.listSnapshots(record.tenant)).map(snapshotView) },
    }),
  ),
  restoreSnapshot: operation(
    {
      title: 'Restore a snapshot',
      description:
        'Restores the whole tenant from the snapshot. First saves the tenant as the snapshot `before-restore`, unless you restore that one.',
      methods: ['POST'],
      path: '/tenants/:tenant/snapshots/:name/restore',
      reply: account,
    },
    async ({ tenant, params }, { storage, registry, urls, now }) => {
      const { tenant: name } = tenant.record
      const snapshot = await findSnapshot(storage, name, params.name)
      if (!snapshot) return unknownName
      try {
        const isRestored = await registry.restore(name, async before => {
          if (params.name !== automaticSnapshots.restore)
            await storage.saveSnapshot(name, { name: automaticSnapshots.restore, saved_at: now() })
          return restore(storage, before, snapshot, now())
        })
        return isRestored ? { body: accountView(tenant, urls) } : unknownName
      } catch (error) {
        if (error instanceof NoTime) return noTime
        throw error
      }
    },
  ),
  deleteSnapshot: operation(
    {
      title: 'Delete a snapshot',
      description: 'Deletes the saved copy. The tenant itself does not change.',
      methods: ['DELETE'],
      path: '/tenants/:tenant/snapshots/:name',
      reply: z.strictObject({ deleted: z.string() }),
    },
    async ({ tenant: { record }, params }, { storage }) => {
      const snapshot = await findSnapshot(storage, record.tenant, params.name)
      if (!snapshot) return unknownName
      await storage.deleteSnapshot(record.tenant, snapshot.name)
      return { body: { deleted: snapshot.name } }
    },
  ),
  exportSnapshot: operation(
    {
      // The keys are derived from the seed.
      needs: 'write',
      title: 'Export a snapshot',
      description:
        'Returns the snapshot as a file. It contains the seed of the tenant, from which its keys are derived.',
      methods: ['GET'],
      path: '/tenants/:tenant/snapshots/:name/file',
      reply: z.string(),
      lines: 'reply',
      errors: ['too_many'],
    },
    async ({ tenant: { record }, params: { name } }, { storage }) => {
      const saved = await storage.openSnapshot(record.tenant, name)
      if (!saved) return unknownName
      const lines = await writeSnapshotFile(saved, maxFileCharacters)
      // It was deleted or replaced in the meantime, so the result may be incomplete.
      if ((await findSnapshot(storage, record.tenant, name))?.saved_at !== saved.saved_at) return unknownName
      return lines === undefined ? tooLarge : { lines }
    },
  ),
  importSnapshot: operation(
    {
      title: 'Import a snapshot',
      description:
        'Saves a file as a snapshot. The file must come from a tenant with the same name and seed. Restore the snapshot to use it.',
      methods: ['POST'],
      path: '/tenants/:tenant/snapshots/:name/file',
      input: z.string(),
      lines: 'input',
      maxBodyBytes: maxSnapshotBytes,
      status: 201,
      reply: snapshot,
      errors: ['too_many'],
    },
    ({ tenant, params, input }, context) => importFile(context, tenant, params.name, input),
  ),
}

async function findSnapshot(storage: SandboxStorage, tenant: string, name: string) {
  return (await storage.listSnapshots(tenant)).find(snapshot => snapshot.name === name)
}

/**
 * Returns true if a tenant has the maximum number of snapshots, and none with this name to replace. Automatic ones do not
 * count.
 */
async function isFull(storage: SandboxStorage, { tenant }: TenantRecord, name: string): Promise<boolean> {
  const others = (await storage.listSnapshots(tenant)).filter(other => !automaticNames.includes(other.name))
  return !automaticNames.includes(name) && others.length >= maxSnapshots && !others.some(other => other.name === name)
}

const snapshotView = ({ name, saved_at }: SnapshotRecord) => ({ name, saved_at: iso(saved_at) })

/** Atomically saves a file as a snapshot of a tenant. */
async function importFile(
  { storage, registry, urls, now, allowedCallbackHosts, place }: ControlContext,
  { record, ids }: Tenant,
  name: string,
  bytes: Uint8Array,
) {
  const named = checkInput(newSnapshot, { name })
  if (named.issues) return refuseFields(...fieldIssues(named.issues, { name }))
  const all = () => registry.list().map(tenant => tenant.record)
  const { file, refused } = await readSnapshotFile(bytes, { record, ids, now: now(), all })
  if (refused) return refused
  const { tenant, advertisers, publisher } = file.record
  const hosts = allowedHosts(allowedCallbackHosts, record.callback_hosts, place)
  const rules = { hosts, place, inbox: urls.inbox(tenant) }
  const forbidden = refuseTargets({ callback_url: publisher.callback_url, advertisers }, rules)
  if (forbidden) return ofFile(forbidden)
  if (await isFull(storage, record, name)) return tooMany
  const snapshot = { name, saved_at: file.saved_at }
  const target = publisher.callback_url ?? urls.inbox(tenant)
  const links: RecordLinks = {
    redirect: urls.advertiserPage,
    callback: ({ lead_id, event, synthetic = {} }) => editUrl(callbackUrl(target, lead_id, event), synthetic),
  }
  const { coverage = {}, ...documents } = file.documents
  await storage.addSnapshot(tenant, { ...snapshot, record: file.record }, async to => {
    await writeRecords(to, file.records, links)
    await to.transact(async tables => {
      await tables.addCoverage(coverage)
      for (const [name, value] of Object.entries(documents) as [keyof TenantDocuments, never][])
        await tables.writeDocument(name, value)
    })
  })
  return { body: snapshotView(snapshot) }
}

/** Returns an error with the paths of account fields translated to their paths in a file. */
function ofFile(refusal: Refusal): Refusal {
  const { details = [], ...body } = refusal.body
  const fields = details.map(({ field, issue }) => ({
    field: `line 1: tenant.${field === 'callback_url' ? 'publisher.callback_url' : field}`,
    issue,
  }))
  return { ...refusal, body: { ...body, details: fields } }
}

class NoTime extends Error {}

/** Atomically restores a tenant. Keeps its identity. A running clock continues from its saved time. */
function restore(storage: SandboxStorage, before: TenantRecord, { name, saved_at }: SnapshotRecord, now: number) {
  return storage.restoreSnapshot(before.tenant, name, async (saved, tables) => {
    // On a shared host, the demo tenant has secret keys. Those of a snapshot from elsewhere are publicly known.
    const record = saved.seed === before.seed ? await withIdentityOf(before, saved) : before
    const { clock } = documentsOf(saved, await tables.readDocuments())
    const time = shownAt(clock, saved_at)
    // Negated, because comparisons with NaN are false.
    if (!(time >= earliestTime && time <= latestDueTime)) throw new NoTime(`The snapshot ${name} has no time.`)
    const restored = clock.mode === 'running' ? { ...clock, ahead_ms: time - now } : clock
    await tables.writeDocument('clock', restored)
    return readTenant(record, tables)
  })
}
