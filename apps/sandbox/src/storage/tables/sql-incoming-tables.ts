import type { RequestRecord, SandboxTables } from '@lead-distribution/simulator'
import type { Statements } from '../sql/queries.ts'
import type { Executor } from '../sql/statement.ts'

/** One tenant's tables of the inbox and the journal. */
export function sqlIncomingTables(db: Executor, statements: Statements, tenant: string) {
  return {
    async addInboxEntry(entry) {
      await db.run(statements.addInboxEntry, { tenant, entry: JSON.stringify(entry) })
    },
    async listInbox() {
      return (await db.all(statements.listInbox, { tenant })).map(({ entry }) => JSON.parse(entry))
    },
    async trimInbox(keep) {
      await db.run(statements.trimInbox, { tenant, keep })
    },
    async addRequests(requests) {
      const [first, last] = [requests[0]?.number, requests.at(-1)?.number]
      if (first === undefined || last === undefined) return
      await db.run(statements.addRequests, { tenant, first, last, entries: JSON.stringify(requests) })
    },
    async readRequests(before = Number.MAX_SAFE_INTEGER) {
      const row = await db.first(statements.readRequests, { tenant, before })
      const batch: RequestRecord[] = row ? JSON.parse(row.entries) : []
      return batch.filter(({ number }) => number < before).reverse()
    },
    async trimRequests(below) {
      await db.run(statements.trimRequests, { tenant, below })
    },
  } satisfies Partial<SandboxTables>
}
