import { callbackUrl } from '@lead-distribution/contract'
import type { Refusal } from '@lead-distribution/http'
import { maxEntryBytes, mostInboxEntries } from '../callbacks/inbox.ts'
import { maxSnapshotBytes } from '../paths.ts'
import type { SandboxStorage, SnapshotRecord } from '../storage/sandbox-storage.ts'
import type { TenantRecord } from '../storage/tenant-record.ts'
import type { Tenant } from '../tenants/tenant.ts'
import { documentsOf, readTenant } from '../tenants/tenant-account.ts'
import { withIdentityOf } from '../tenants/tenant-identity.ts'
import { shownAt } from '../time/clock.ts'
import { earliestTime, latestDueTime } from '../time/time-control.ts'
import { accountContent } from './account.ts'
import { callbackHold, callbackState, inboxMode } from './callbacks.ts'
import { type ControlContext, type ControlHandlers, iso, onTenants } from './context.ts'
import { controlError, refuseFields } from './control-error.ts'
import { storedFaults } from './faults.ts'
import { request } from './journal.ts'
import { advertiserDecision, reportWay, trace } from './leads.ts'
import { wholeNumber } from './operation-defaults.ts'
import { newSnapshot, type snapshotOperations } from './snapshots.ts'
import { accountView, refuseTargets } from './tenants-handlers.ts'

/** How many snapshots a tenant has at most: each is as large as the tenant. */
const maxSnapshots = 100

/** How much a file holds at most: half of what is taken, so that one that was indented for a repository is taken too. */
const maxFileCharacters = maxSnapshotBytes / 2

const tooMany = controlError(
  'too_many',
  `The tenant has ${maxSnapshots} snapshots already. Delete some, or save over one.`,
)

const tooLarge = controlError(
  'too_many',
  `The snapshot has more than a file can hold, ${maxFileCharacters} characters. Reset the tenant, and save what a test needs.`,
)
const unknownName = refuseFields({
  field: 'name',
  issue: 'is no snapshot of this tenant; to list them: GET …/snapshots, or lead-sandbox snapshot list',
})

/** What a file repeats of the control plane: see `snapshot-file.ts`. */
const shapes = {
  newSnapshot,
  accountContent,
  trace,
  advertiserDecision,
  reportWay,
  callbackState,
  callbackHold,
  inboxMode,
  storedFaults,
  request,
  wholeNumber,
  maxEntryBytes,
  mostInboxEntries,
}

/** The refusal of a snapshot whose clock shows no time: of an earlier version, which checked no file. */
const noTime = refuseFields({
  field: 'name',
  issue: 'is a snapshot whose clock shows a time that does not exist: delete it, and save or import another one',
})

/** The handlers of the operations on snapshots. */
export function snapshotHandlers(context: ControlContext): ControlHandlers<typeof snapshotOperations> {
  const { storage, registry, urls, now } = context
  const onTenant = onTenants(context)
  const find = async (tenant: string, name: string) =>
    (await storage.listSnapshots(tenant)).find(snapshot => snapshot.name === name)

  return {
    saveSnapshot: onTenant(async ({ record: { tenant }, journal, lock }, { input: { name } }) => {
      await journal.flushAll()
      // Exclusive: a call that is half done would be saved half done.
      return lock.exclusive(async () => {
        const existing = await storage.listSnapshots(tenant)
        if (existing.length >= maxSnapshots && !existing.some(other => other.name === name)) return tooMany
        const snapshot = { name, saved_at: now() }
        await journal.flush()
        await storage.saveSnapshot(tenant, snapshot)
        return { body: snapshotView(snapshot) }
      })
    }),
    listSnapshots: onTenant(async ({ record: { tenant } }) => ({
      body: { snapshots: (await storage.listSnapshots(tenant)).map(snapshotView) },
    })),
    restoreSnapshot: onTenant(async (tenant, { params }) => {
      const snapshot = await find(tenant.record.tenant, params.name)
      if (!snapshot) return unknownName
      try {
        const restored = await registry.restore(tenant.record.tenant, record =>
          restore(storage, record, snapshot, now()),
        )
        return restored ? { body: accountView(tenant, urls) } : unknownName
      } catch (error) {
        if (error instanceof NoTime) return noTime
        throw error
      }
    }),
    exportSnapshot: onTenant(async ({ record }, { params: { name } }) => {
      const saved = await storage.openSnapshot(record.tenant, name)
      if (!saved) return unknownName
      const { fileAccount, snapshotFormat } = await import('./snapshot-file.ts')
      const { readContent } = await import('../tenants/snapshot-content.ts')
      const content = await readContent(saved.storage, maxFileCharacters)
      // It was deleted or saved anew meanwhile, and what was read may be a part of it.
      if ((await find(record.tenant, name))?.saved_at !== saved.saved_at) return unknownName
      if (!content) return tooLarge
      // Written also where it never was: the tenant that gets the file may be made with another one.
      const documents = { ...content.documents, clock: documentsOf(saved.record, content.documents).clock }
      const head = { format: snapshotFormat, saved_at: iso(saved.saved_at), tenant: fileAccount(saved.record) }
      return { body: { ...head, ...content, documents } }
    }),
    importSnapshot: onTenant((tenant, { params, input }) => importFile(context, tenant, params.name, input)),
    deleteSnapshot: onTenant(async ({ record: { tenant } }, { params }) => {
      const snapshot = await find(tenant, params.name)
      if (!snapshot) return unknownName
      await storage.deleteSnapshot(tenant, snapshot.name)
      return { body: { deleted: snapshot.name } }
    }),
  }
}

const snapshotView = ({ name, saved_at }: SnapshotRecord) => ({ name, saved_at: iso(saved_at) })

/** Stores a file as a snapshot of a tenant, all of it or nothing. */
async function importFile(
  { storage, registry, urls, now, allowedCallbackHosts, place }: ControlContext,
  { record, ids }: Tenant,
  name: string,
  bytes: Uint8Array,
) {
  const { readSnapshotFile } = await import('./snapshot-file.ts')
  const { writeContent } = await import('../tenants/snapshot-content.ts')
  const all = () => registry.list().map(tenant => tenant.record)
  const { file, refused } = await readSnapshotFile(shapes, name, bytes, { record, ids, now: now(), all })
  if (refused) return refused
  const { tenant, advertisers, publisher } = file.record
  const hosts = [...allowedCallbackHosts, ...(record.callback_hosts ?? [])]
  const rules = { hosts, place, inbox: urls.inbox(tenant) }
  const forbidden = refuseTargets({ callback_url: publisher.callback_url, advertisers }, rules)
  if (forbidden) return ofFile(forbidden)
  const existing = await storage.listSnapshots(tenant)
  if (existing.length >= maxSnapshots && !existing.some(other => other.name === name)) return tooMany
  const snapshot = { name, saved_at: file.saved_at }
  const target = publisher.callback_url ?? urls.inbox(tenant)
  const links = {
    redirect: urls.advertiserPage,
    callback: (leadId: string, event: string) => callbackUrl(target, leadId, event),
  }
  await storage.addSnapshot(tenant, { ...snapshot, record: file.record }, to => writeContent(to, file, links))
  return { body: snapshotView(snapshot) }
}

/** A refusal of the fields of an account, as a file has them. */
function ofFile(refusal: Refusal): Refusal {
  const { details = [], ...body } = refusal.body
  const fields = details.map(({ field, issue }) => ({
    field: field === 'callback_url' ? 'tenant.publisher.callback_url' : `tenant.${field}`,
    issue,
  }))
  return { ...refusal, body: { ...body, details: fields } }
}

/** A snapshot has a clock that shows no time. */
class NoTime extends Error {}

/**
 * Restores a tenant, all of it or nothing: its identity stays. A clock that was running goes on from the time it showed when
 * the snapshot was saved.
 */
function restore(storage: SandboxStorage, before: TenantRecord, { name, saved_at }: SnapshotRecord, now: number) {
  return storage.restoreSnapshot(before.tenant, name, async (saved, tables) => {
    // The demo tenant of a shared host has secret keys: those of a snapshot from elsewhere are publicly known.
    const record = saved.seed === before.seed ? await withIdentityOf(before, saved) : before
    const { clock } = documentsOf(saved, await tables.readDocuments())
    const time = shownAt(clock, saved_at)
    // Negated, since what is no number compares as false.
    if (!(time >= earliestTime && time <= latestDueTime)) throw new NoTime(`The snapshot ${name} has no time.`)
    const restored = clock.mode === 'running' ? { ...clock, ahead_ms: time - now } : clock
    await tables.writeDocument('clock', restored)
    return readTenant(record, tables)
  })
}
