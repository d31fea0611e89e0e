import type { Storage } from '@lead-distribution/engine'
import type { SandboxTables } from '../ports/sandbox-tables.ts'
import type { InboxEntry } from './inbox-entry.ts'
import { type InboxMode, takingInbox } from './inbox-mode.ts'

/** A tenant's own inbox: the receiver of a publisher that has none. */
export interface Inbox {
  /** Takes a callback, or fails as it was told to; answers the HTTP status. */
  take(callback: Omit<InboxEntry, 'status'>): Promise<number>
  list(): Promise<InboxEntry[]>
  mode(): InboxMode
  /** Tells it how to answer from now on. */
  setMode(mode: InboxMode): Promise<void>
  /** The tenant was put back. */
  put(mode: InboxMode): void
}

/** How many callbacks an inbox keeps; whoever can reach it can fill it. */
const keptEntries = 10_000

/** The inbox of a tenant over its storage. */
export function createInbox(storage: Storage<SandboxTables>, initial: InboxMode): Inbox {
  let mode = initial
  const keep = (next: InboxMode) => {
    mode = next
    return storage.transact(tables => tables.writeDocument('inbox', next))
  }
  return {
    async take(callback) {
      const { status, times } = mode
      // Counted before anything is awaited: two callbacks at once are two times.
      if (times !== undefined) await keep(times > 1 ? { status, times: times - 1 } : takingInbox)
      await storage.transact(async tables => {
        await tables.addInboxEntry({ ...callback, status })
        await tables.trimInbox(keptEntries)
      })
      return status
    },
    list: () => storage.transact(tables => tables.listInbox()),
    mode: () => mode,
    setMode: keep,
    put(next) {
      mode = next
    },
  }
}
