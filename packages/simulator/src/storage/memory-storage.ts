import { createSerialQueue, type SerialQueue } from '../time/locks.ts'
import { memoryTables } from './memory-tables.ts'
import type { SandboxStorage, SandboxTables } from './sandbox-storage.ts'
import { copyTenantMemory, createTenantMemory, type TenantMemory } from './tenant-memory.ts'
import type { TenantRecord } from './tenant-record.ts'
import { createUndoLog } from './undo-log.ts'

/** What is stored of one tenant. */
interface Stored {
  record: TenantRecord
  memory: TenantMemory
  /** By name, in the order of saving. */
  readonly snapshots: Map<string, Snapshot>
  /** Work on a tenant is done one after the other. */
  readonly queue: SerialQueue
}

interface Snapshot {
  readonly record: TenantRecord
  readonly memory: TenantMemory
  readonly saved_at: number
}

/** Works on a tenant once everything is done that was begun before. */
type InTurn = <Result>(tenant: string, work: (stored: Stored) => Result | Promise<Result>) => Promise<Result>

/** The sandbox's storage in the memory of the process; it ends with it. */
export function createMemoryStorage(): SandboxStorage {
  const tenants = new Map<string, Stored>()
  const find = (tenant: string): Stored => {
    const stored = tenants.get(tenant)
    if (!stored) throw new Error(`There is no tenant ${tenant}.`)
    return stored
  }
  const inTurn: InTurn = async (tenant, work) => {
    const stored = find(tenant)
    return stored.queue(() => {
      // A tenant that was deleted meanwhile takes nothing more.
      if (tenants.get(tenant) !== stored) throw new Error(`There is no tenant ${tenant}.`)
      return work(stored)
    })
  }

  return {
    of: tenant => ({ transact: work => inTurn(tenant, ({ memory }) => transact(memory, work)) }),
    async addTenant(record) {
      if (tenants.has(record.tenant)) return false
      const memory = createTenantMemory()
      const queue = createSerialQueue()
      tenants.set(record.tenant, { record: structuredClone(record), memory, snapshots: new Map(), queue })
      return true
    },
    replaceTenant: record =>
      inTurn(record.tenant, stored => {
        stored.record = structuredClone(record)
      }),
    clearTenant: record =>
      inTurn(record.tenant, stored => {
        stored.record = structuredClone(record)
        stored.memory = createTenantMemory()
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
    ...memorySnapshots(inTurn),
    async close() {},
  }
}

async function transact<Result>(
  memory: TenantMemory,
  work: (tables: SandboxTables) => Promise<Result>,
): Promise<Result> {
  const log = createUndoLog()
  try {
    return await work(memoryTables(memory, log))
  } catch (error) {
    log.rollBack()
    throw error
  }
}

type Snapshots = Pick<SandboxStorage, 'saveSnapshot' | 'restoreSnapshot' | 'listSnapshots' | 'deleteSnapshot'>

function memorySnapshots(inTurn: InTurn): Snapshots {
  return {
    saveSnapshot: (tenant, { name, saved_at }) =>
      inTurn(tenant, ({ record, memory, snapshots }) => {
        // Deleted first, so that it comes last.
        snapshots.delete(name)
        snapshots.set(name, { record: structuredClone(record), memory: copyTenantMemory(memory), saved_at })
      }),
    restoreSnapshot: (tenant, name) =>
      inTurn(tenant, stored => {
        const snapshot = stored.snapshots.get(name)
        if (!snapshot) return undefined
        stored.record = structuredClone(snapshot.record)
        stored.memory = copyTenantMemory(snapshot.memory)
        return structuredClone(snapshot.record)
      }),
    listSnapshots: tenant =>
      inTurn(tenant, ({ snapshots }) => [...snapshots].map(([name, { saved_at }]) => ({ name, saved_at }))),
    deleteSnapshot: (tenant, name) =>
      inTurn(tenant, ({ snapshots }) => {
        snapshots.delete(name)
      }),
  }
}
