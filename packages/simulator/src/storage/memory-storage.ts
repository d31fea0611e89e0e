import { createSerialQueue, type SerialQueue } from '../time/locks.ts'
import { memoryTables, removeLeads } from './memory-tables.ts'
import type { SandboxStorage, SandboxTables } from './sandbox-storage.ts'
import {
  copyTenantMemory,
  createTenantMemory,
  createUndoLog,
  type TenantMemory,
  type UndoLog,
} from './tenant-memory.ts'
import type { TenantRecord } from './tenant-record.ts'

interface Stored {
  record: TenantRecord
  content: Content
  /** By name, in the order of saving. */
  readonly snapshots: Map<string, Snapshot>
  /** Serializes the work on a tenant. */
  readonly queue: SerialQueue
}

/** The content of a tenant and the tables that change it. Transactions are serialized and share the log. */
interface Content {
  readonly memory: TenantMemory
  readonly log: UndoLog
  readonly tables: SandboxTables
}

interface Snapshot {
  readonly record: TenantRecord
  readonly memory: TenantMemory
  readonly saved_at: number
}

/** Runs work on a tenant once all work that was begun before is done. */
type InTurn = <Result>(tenant: string, work: (stored: Stored) => Result | Promise<Result>) => Promise<Result>

/** Creates a storage in the memory of the process, with which it ends. */
export function createMemoryStorage(): SandboxStorage {
  const tenants = new Map<string, Stored>()
  const inTurn: InTurn = async (tenant, work) => {
    const stored = tenants.get(tenant)
    const run = () => {
      // Nothing is written to a tenant that was deleted meanwhile.
      if (!stored || tenants.get(tenant) !== stored) throw new Error(`There is no tenant ${tenant}.`)
      return work(stored)
    }
    return stored ? stored.queue(run) : run()
  }

  return {
    place: 'memory',
    of: tenant => ({
      transact: work => inTurn(tenant, ({ content }) => transact(content, work)),
      read: work => inTurn(tenant, ({ content }) => work(content.tables)),
    }),
    async addTenant(record) {
      if (tenants.has(record.tenant)) return false
      const content = contentOf(createTenantMemory())
      const queue = createSerialQueue()
      tenants.set(record.tenant, { record: structuredClone(record), content, snapshots: new Map(), queue })
      return true
    },
    replaceTenant: record =>
      inTurn(record.tenant, stored => {
        stored.record = structuredClone(record)
      }),
    clearTenant: record =>
      inTurn(record.tenant, stored => {
        stored.record = structuredClone(record)
        stored.content = contentOf(createTenantMemory())
      }),
    async deleteTenant(tenant) {
      tenants.delete(tenant)
    },
    async listTenants() {
      return [...tenants].map(([tenant, { record }]) => ({ tenant, record: structuredClone(record) }))
    },
    ...memorySnapshots(inTurn),
    removeLeads: (tenant, through, limit) =>
      inTurn(tenant, ({ content: { memory, log } }) => {
        const removed = removeLeads(memory, through, limit, log)
        log.clear()
        return removed
      }),
    health: async () => 'ok',
    async close() {},
  }
}

function contentOf(memory: TenantMemory): Content {
  const log = createUndoLog()
  return { memory, log, tables: memoryTables(memory, log) }
}

async function transact<Result>(
  { log, tables }: Content,
  work: (tables: SandboxTables) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(tables)
  } catch (error) {
    log.rollBack()
    throw error
  } finally {
    log.clear()
  }
}

type Snapshots = Pick<
  SandboxStorage,
  'saveSnapshot' | 'restoreSnapshot' | 'listSnapshots' | 'deleteSnapshot' | 'openSnapshot' | 'addSnapshot'
>

function memorySnapshots(inTurn: InTurn): Snapshots {
  return {
    saveSnapshot: (tenant, { name, saved_at }) =>
      inTurn(tenant, ({ record, content: { memory }, snapshots }) => {
        // Deleted first, so that it comes last.
        snapshots.delete(name)
        snapshots.set(name, { record: structuredClone(record), memory: copyTenantMemory(memory), saved_at })
      }),
    restoreSnapshot: (tenant, name, finish) =>
      inTurn(tenant, async stored => {
        const snapshot = stored.snapshots.get(name)
        if (!snapshot) return undefined
        const content = contentOf(copyTenantMemory(snapshot.memory))
        const restored = await transact(content, tables => finish(structuredClone(snapshot.record), tables))
        stored.record = structuredClone(restored.record)
        stored.content = content
        return restored
      }),
    listSnapshots: tenant =>
      inTurn(tenant, ({ snapshots }) => [...snapshots].map(([name, { saved_at }]) => ({ name, saved_at }))),
    deleteSnapshot: (tenant, name) =>
      inTurn(tenant, ({ snapshots }) => {
        snapshots.delete(name)
      }),
    openSnapshot: (tenant, name) =>
      inTurn(tenant, ({ snapshots }) => {
        const snapshot = snapshots.get(name)
        if (!snapshot) return undefined
        const { memory, record, saved_at } = snapshot
        const content = contentOf(memory)
        return {
          name,
          saved_at,
          record: structuredClone(record),
          storage: { read: work => work(content.tables) },
        }
      }),
    async addSnapshot(tenant, { name, saved_at, record }, fill) {
      const memory = createTenantMemory()
      const content = contentOf(memory)
      await fill({ transact: work => transact(content, work) })
      await inTurn(tenant, ({ snapshots }) => {
        snapshots.delete(name)
        snapshots.set(name, { record: structuredClone(record), memory, saved_at })
      })
    },
  }
}
