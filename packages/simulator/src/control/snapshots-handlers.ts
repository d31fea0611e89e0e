import { maxSnapshotBytes } from '../paths.ts'
import type { SandboxStorage, SnapshotRecord } from '../storage/sandbox-storage.ts'
import type { TenantRecord } from '../storage/tenant-record.ts'
import { administrationOf, noAdministration } from '../tenants/create-tenant.ts'
import { documentsOf, readTenant, tenantSettings } from '../tenants/tenant-account.ts'
import { account } from './account.ts'
import { callbackHold, callbackState, inboxMode } from './callbacks.ts'
import { type ControlContext, type ControlHandlers, iso, onTenants } from './context.ts'
import { controlError, refuseFields } from './control-error.ts'
import { fault } from './faults.ts'
import { request } from './journal.ts'
import { advertiserDecision, reportWay, trace } from './leads.ts'
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
  ...{ newSnapshot, account, tenantSettings, inboxMode, fault, request },
  ...{ trace, advertiserDecision, reportWay, callbackState, callbackHold },
}

/** The handlers of the operations on snapshots. */
export function snapshotHandlers(context: ControlContext): ControlHandlers<typeof snapshotOperations> {
  const { storage, registry, urls, now, allowedCallbackHosts, place } = context
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
      const restored = await registry.restore(tenant.record.tenant, record => restore(storage, record, snapshot, now()))
      return restored ? { body: accountView(tenant, urls) } : unknownName
    }),
    exportSnapshot: onTenant(async ({ record }, { params: { name } }) => {
      const saved = await storage.openSnapshot(record.tenant, name)
      if (!saved) return unknownName
      const { snapshotFormat } = await import('./snapshot-file.ts')
      const { readContent } = await import('../tenants/snapshot-content.ts')
      const content = await readContent(saved.storage, maxFileCharacters)
      // It was deleted or saved anew meanwhile, and what was read may be a part of it.
      if ((await find(record.tenant, name))?.saved_at !== saved.saved_at) return unknownName
      const tenant = { ...saved.record, ...noAdministration }
      const file = { format: snapshotFormat, saved_at: iso(saved.saved_at), tenant, ...content }
      return content ? { body: file } : tooLarge
    }),
    importSnapshot: onTenant(async ({ record }, { params: { name }, input }) => {
      const { readSnapshotFile } = await import('./snapshot-file.ts')
      const { writeContent } = await import('../tenants/snapshot-content.ts')
      const { file, refused } = readSnapshotFile(shapes, name, input, record)
      if (refused) return refused
      const { publisher, made, advertisers } = file.tenant
      const hosts = [...allowedCallbackHosts, ...(record.callback_hosts ?? [])]
      const rules = { hosts, place, inbox: urls.inbox(record.tenant) }
      const forbidden =
        refuseTargets({ callback_url: publisher.callback_url, advertisers }, rules) ??
        refuseTargets({ callback_url: made?.callback_url }, rules)
      if (forbidden) return forbidden
      const { tenant } = record
      const existing = await storage.listSnapshots(tenant)
      if (existing.length >= maxSnapshots && !existing.some(other => other.name === name)) return tooMany
      const snapshot = { name, saved_at: Date.parse(file.saved_at) }
      await storage.addSnapshot(tenant, { ...snapshot, record: file.tenant }, to => writeContent(to, file))
      return { body: snapshotView(snapshot) }
    }),
    deleteSnapshot: onTenant(async ({ record: { tenant } }, { params }) => {
      const snapshot = await find(tenant, params.name)
      if (!snapshot) return unknownName
      await storage.deleteSnapshot(tenant, snapshot.name)
      return { body: { deleted: snapshot.name } }
    }),
  }
}

const snapshotView = ({ name, saved_at }: SnapshotRecord) => ({ name, saved_at: iso(saved_at) })

/** Restores a tenant; a clock that was running goes on from the time it showed when the snapshot was saved. */
function restore(storage: SandboxStorage, before: TenantRecord, { name, saved_at }: SnapshotRecord, now: number) {
  return storage.restoreSnapshot(before.tenant, name, async (saved, tables) => {
    // The demo tenant of a shared host has secret keys: those of a snapshot from elsewhere are publicly known.
    const record = saved.seed === before.seed ? { ...saved, ...administrationOf(before) } : before
    const { clock } = documentsOf(record, await tables.readDocuments())
    if (clock.mode === 'running')
      await tables.writeDocument('clock', { mode: 'running', ahead_ms: clock.ahead_ms + saved_at - now })
    return readTenant(record, tables)
  })
}
