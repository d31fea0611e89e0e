import { memoryTables } from './memory-tables.ts'
import type { SandboxStorage } from './sandbox-storage.ts'
import { copyTenantMemory, createTenantMemory, type TenantMemory } from './tenant-memory.ts'
import type { TenantRecord } from './tenant-record.ts'
import { createUndoLog } from './undo-log.ts'

interface Kept {
  record: TenantRecord
  memory: TenantMemory
  /** By name, in the order of saving. */
  readonly snapshots: Map<string, Snapshot>
  /** The end of the queue: what is done to a tenant is done one after the other. */
  queue: Promise<unknown>
}

interface Snapshot {
  readonly record: TenantRecord
  readonly memory: TenantMemory
  readonly saved_at: number
}

/** The sandbox's storage in the memory of the process; gone with it. */
export function createMemoryStorage(): SandboxStorage {
  const tenants = new Map<string, Kept>()
  const kept = (tenant: string): Kept => {
    const found = tenants.get(tenant)
    if (!found) throw new Error(`There is no tenant ${tenant}.`)
    return found
  }

  /** Does something to a tenant once everything is done that was begun before. */
  async function inTurn<Outcome>(tenant: string, work: (place: Kept) => Outcome | Promise<Outcome>): Promise<Outcome> {
    const place = kept(tenant)
    const run = place.queue.then(() => {
      // A tenant that was deleted meanwhile takes nothing more.
      if (tenants.get(tenant) !== place) throw new Error(`There is no tenant ${tenant}.`)
      return work(place)
    })
    place.queue = run.catch(() => undefined)
    return run
  }

  return {
    of: tenant => ({
      transact: work =>
        inTurn(tenant, async ({ memory }) => {
          const log = createUndoLog()
          try {
            return await work(memoryTables(memory, log))
          } catch (error) {
            log.rollBack()
            throw error
          }
        }),
    }),
    async addTenant(record) {
      if (tenants.has(record.tenant)) return false
      tenants.set(record.tenant, {
        record: structuredClone(record),
        memory: createTenantMemory(),
        snapshots: new Map(),
        queue: Promise.resolve(),
      })
      return true
    },
    replaceTenant: record =>
      inTurn(record.tenant, place => {
        place.record = structuredClone(record)
      }),
    clearTenant: record =>
      inTurn(record.tenant, place => {
        place.record = structuredClone(record)
        place.memory = createTenantMemory()
      }),
    async deleteTenant(tenant) {
      tenants.delete(tenant)
    },
    async listTenants() {
      return [...tenants.values()].map(({ record }) => structuredClone(record))
    },
    newestIds: tenant =>
      inTurn(tenant, ({ memory: { leads, callbacks } }) => ({
        lead_id: [...leads.keys()].sort().at(-1),
        callback_id: [...callbacks.keys()].sort().at(-1),
      })),
    saveSnapshot: (tenant, { name, saved_at }) =>
      inTurn(tenant, ({ record, memory, snapshots }) => {
        // Deleted first, so that it comes last.
        snapshots.delete(name)
        snapshots.set(name, { record: structuredClone(record), memory: copyTenantMemory(memory), saved_at })
      }),
    restoreSnapshot: (tenant, name) =>
      inTurn(tenant, place => {
        const snapshot = place.snapshots.get(name)
        if (!snapshot) return undefined
        place.record = structuredClone(snapshot.record)
        place.memory = copyTenantMemory(snapshot.memory)
        return structuredClone(snapshot.record)
      }),
    listSnapshots: tenant =>
      inTurn(tenant, ({ snapshots }) => [...snapshots].map(([name, { saved_at }]) => ({ name, saved_at }))),
    deleteSnapshot: (tenant, name) =>
      inTurn(tenant, ({ snapshots }) => {
        snapshots.delete(name)
      }),
    async close() {},
  }
}
