import type { SandboxStorage, SnapshotRecord } from '../../storage/sandbox-storage.ts'
import type { TenantRecord } from '../../storage/tenant-record.ts'
import { initialClock } from '../../tenants/tenant-state.ts'
import { type ControlCalls, type ControlContext, done, iso, onTenants } from '../context.ts'
import { controlError, readInput, refuseFields } from '../control-error.ts'
import { accountView } from '../tenants/account-view.ts'
import { snapshotOrder } from './snapshot.shape.ts'
import type { snapshotOperations } from './snapshot-operations.ts'

/** How many snapshots a tenant has at the most: each is as large as the tenant. */
const maxSnapshots = 100

const tooMany = controlError(
  409,
  'too_many',
  `The tenant has ${maxSnapshots} snapshots already. Delete some, or save over one.`,
)
const unknownName = refuseFields({
  field: 'name',
  issue: 'is no snapshot of this tenant; to list them: GET …/snapshots, or lead-sandbox snapshot list',
})

/** What the operations on snapshots do. */
export function snapshotCalls(context: ControlContext): ControlCalls<typeof snapshotOperations> {
  const { storage, registry, urls, now } = context
  const onTenant = onTenants(context)
  const find = async (tenant: string, name: string | undefined) =>
    (await storage.listSnapshots(tenant)).find(snapshot => snapshot.name === name)

  return {
    saveSnapshot: onTenant(async ({ record: { tenant }, journal, lock }, { body }) => {
      const { value, refused } = readInput(snapshotOrder, body)
      if (refused) return refused
      // Alone: a call that is half done would be kept half done.
      return lock.exclusive(async () => {
        const there = await storage.listSnapshots(tenant)
        if (there.length >= maxSnapshots && !there.some(({ name }) => name === value.name)) return tooMany
        const snapshot = { name: value.name, saved_at: now() }
        await journal.flush()
        await storage.saveSnapshot(tenant, snapshot)
        return done(shown(snapshot), 201)
      })
    }),
    listSnapshots: onTenant(async ({ record: { tenant } }) =>
      done({ snapshots: (await storage.listSnapshots(tenant)).map(shown) }),
    ),
    restoreSnapshot: onTenant(async (tenant, { params }) => {
      const snapshot = await find(tenant.record.tenant, params.name)
      if (!snapshot) return unknownName
      const restored = await registry.restore(tenant.record.tenant, record => restore(storage, record, snapshot, now()))
      return restored ? done(accountView(tenant, urls)) : unknownName
    }),
    deleteSnapshot: onTenant(async ({ record: { tenant } }, { params }) => {
      const snapshot = await find(tenant, params.name)
      if (!snapshot) return unknownName
      await storage.deleteSnapshot(tenant, snapshot.name)
      return done({ deleted: snapshot.name })
    }),
  }
}

const shown = ({ name, saved_at }: SnapshotRecord) => ({ name, saved_at: iso(saved_at) })

/** Puts a tenant back; a clock that was going goes on from the time it showed when the snapshot was saved. */
async function restore(storage: SandboxStorage, before: TenantRecord, { name, saved_at }: SnapshotRecord, now: number) {
  const { tenant } = before
  const saved = await storage.restoreSnapshot(tenant, name)
  if (!saved) return undefined
  // The demo tenant of a shared host has keys of its own: those of a snapshot from elsewhere are known to everybody.
  const record = saved.seed === before.seed ? saved : { ...before }
  if (record !== saved) await storage.replaceTenant(record)
  await storage.of(tenant).transact(async tables => {
    const { clock = initialClock(record) } = await tables.readDocuments()
    if (clock.mode === 'frozen') return
    await tables.writeDocument('clock', { mode: 'running', ahead_ms: clock.ahead_ms + saved_at - now })
  })
  return record
}
