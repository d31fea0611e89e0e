import { createSerialQueue, type SerialQueue } from '../time/locks.ts'
import { copyTenantMemory, createTenantMemory, storageOf, type TenantMemory } from './memory-tables.ts'
import type { SandboxStorage } from './sandbox-storage.ts'
import type { TenantRecord } from './tenant-record.ts'

interface Stored {
  record: TenantRecord
  memory: TenantMemory
  /** By name, in the order in which they were saved. */
  readonly snapshots: Map<string, Snapshot>
  /** Serializes the transactions on a tenant. */
  readonly queue: SerialQueue
}

interface Snapshot {
  readonly record: TenantRecord
  readonly memory: TenantMemory
  readonly saved_at: number
}

/** Runs a transaction after all earlier ones on the tenant. */
type InTurn = <Result>(tenant: string, work: (stored: Stored) => Result | Promise<Result>) => Promise<Result>

/** Creates an in-memory storage, which is lost when the process ends. */
export function createMemoryStorage(): SandboxStorage {
  const tenants = new Map<string, Stored>()
  const inTurn: InTurn = async (tenant, work) => {
    const stored = tenants.get(tenant)
    const run = () => {
      // The tenant may have been deleted in the meantime.
      if (!stored || tenants.get(tenant) !== stored) throw new Error(`There is no tenant ${tenant}.`)
      return work(stored)
    }
    return stored ? stored.queue(run) : run()
  }

  return {
    place: 'memory',
    of: tenant => ({
      transact: work => inTurn(tenant, ({ memory }) => storageOf(memory).transact(work)),
      read: work => inTurn(tenant, ({ memory }) => storageOf(memory).read(work)),
    }),
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
      return [...tenants].map(([tenant, { record }]) => ({ tenant, record: structuredClone(record) }))
    },
    ...memorySnapshots(inTurn),
    health: async () => 'ok',
    async close() {},
  }
}

type Snapshots = Pick<
  SandboxStorage,
  'saveSnapshot' | 'restoreSnapshot' | 'listSnapshots' | 'deleteSnapshot' | 'openSnapshot' | 'addSnapshot'
>

function memorySnapshots(inTurn: InTurn): Snapshots {
  return {
    saveSnapshot: (tenant, { name, saved_at }) =>
      inTurn(tenant, ({ record, memory, snapshots }) => {
        // Deleted first, so that the snapshot moves to the end.
        snapshots.delete(name)
        snapshots.set(name, { record: structuredClone(record), memory: copyTenantMemory(memory), saved_at })
      }),
    restoreSnapshot: (tenant, name, finish) =>
      inTurn(tenant, async stored => {
        const snapshot = stored.snapshots.get(name)
        if (!snapshot) return undefined
        const memory = copyTenantMemory(snapshot.memory)
        const restored = await storageOf(memory).transact(tables => finish(structuredClone(snapshot.record), tables))
        stored.record = structuredClone(restored.record)
        stored.memory = memory
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
        return {
          name,
          saved_at,
          record: structuredClone(record),
          storage: storageOf(memory),
        }
      }),
    async addSnapshot(tenant, { name, saved_at, record }, fill) {
      const memory = createTenantMemory()
      await fill(storageOf(memory))
      await inTurn(tenant, ({ snapshots }) => {
        snapshots.delete(name)
        snapshots.set(name, { record: structuredClone(record), memory, saved_at })
      })
    },
  }
}
