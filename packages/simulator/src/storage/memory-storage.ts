import type { Storage } from '@lead-distribution/engine'
import type { InboxEntry } from '../callbacks/inbox-entry.ts'
import type { SandboxStorage } from '../ports/sandbox-storage.ts'
import type { TenantRecord } from '../tenants/tenant-record.ts'
import { createTenantMemory, memoryTables, type TenantMemory } from './memory-tables.ts'
import { createUndoLog } from './undo-log.ts'

interface Kept {
  record: TenantRecord
  readonly memory: TenantMemory
  readonly inbox: InboxEntry[]
  /** The end of the queue: transactions of a tenant run one after the other. */
  queue: Promise<unknown>
}

/** The sandbox's storage in the memory of the process; gone with it. */
export function createMemoryStorage(): SandboxStorage {
  const tenants = new Map<string, Kept>()
  const kept = (tenant: string): Kept => {
    const found = tenants.get(tenant)
    if (!found) throw new Error(`There is no tenant ${tenant}.`)
    return found
  }

  const of = (tenant: string): Storage => ({
    async transact(work) {
      const place = kept(tenant)
      const run = place.queue.then(async () => {
        // A tenant that was deleted meanwhile takes nothing more.
        if (tenants.get(tenant) !== place) throw new Error(`There is no tenant ${tenant}.`)
        const log = createUndoLog()
        try {
          return await work(memoryTables(place.memory, log))
        } catch (error) {
          log.rollBack()
          throw error
        }
      })
      place.queue = run.catch(() => undefined)
      return run
    },
  })

  return {
    of,
    async addTenant(record) {
      if (tenants.has(record.tenant)) return false
      const place = {
        record: structuredClone(record),
        memory: createTenantMemory(),
        inbox: [],
        queue: Promise.resolve(),
      }
      tenants.set(record.tenant, place)
      return true
    },
    async replaceTenant(record) {
      kept(record.tenant).record = structuredClone(record)
    },
    async deleteTenant(tenant) {
      tenants.delete(tenant)
    },
    async listTenants() {
      return [...tenants.values()].map(({ record }) => structuredClone(record))
    },
    async newestIds(tenant) {
      const { leads, callbacks } = kept(tenant).memory
      return { lead_id: [...leads.keys()].at(-1), callback_id: [...callbacks.keys()].at(-1) }
    },
    async addInboxEntry(tenant, entry) {
      kept(tenant).inbox.push(structuredClone(entry))
    },
    async listInbox(tenant) {
      return structuredClone(kept(tenant).inbox)
    },
    async close() {},
  }
}
