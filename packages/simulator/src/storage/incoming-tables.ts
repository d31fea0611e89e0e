import type { SandboxTables } from '../ports/sandbox-tables.ts'
import type { TenantMemory } from './tenant-memory.ts'
import { replaceLogged, type UndoLog } from './undo-log.ts'

/** The tables of the inbox and the journal over a tenant's memory. */
export function memoryIncomingTables(memory: TenantMemory, log: UndoLog) {
  return {
    async addInboxEntry(entry) {
      replaceLogged(memory, 'inbox', [...memory.inbox, entry], log)
    },
    async listInbox() {
      return [...memory.inbox]
    },
    async trimInbox(keep) {
      const surplus = memory.inbox.length - keep
      if (surplus > 0) replaceLogged(memory, 'inbox', memory.inbox.slice(surplus), log)
    },
    async addRequests(requests) {
      if (requests.length > 0) replaceLogged(memory, 'requests', [...memory.requests, [...requests]], log)
    },
    async readRequests(before = Infinity) {
      const batch = memory.requests.findLast(batch => batch.some(({ number }) => number < before)) ?? []
      return batch.filter(({ number }) => number < before).reverse()
    },
    async trimRequests(below) {
      const kept = memory.requests.filter(batch => batch.some(({ number }) => number >= below))
      replaceLogged(memory, 'requests', kept, log)
    },
  } satisfies Partial<SandboxTables>
}
