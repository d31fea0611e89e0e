import type { RequestRecord, SandboxTables } from '@lead-distribution/simulator'
import type { SqlContext } from './sql-context.ts'

/** One tenant's tables of the inbox and the journal. */
export const sqlIncomingTables = {
  async addInboxEntry(entry) {
    await this.db.run(this.statements.addInboxEntry, { tenant: this.tenant, entry: JSON.stringify(entry) })
  },
  async listInbox() {
    return (await this.db.all(this.statements.listInbox, { tenant: this.tenant })).map(({ entry }) => JSON.parse(entry))
  },
  async trimInbox(keep) {
    await this.db.run(this.statements.trimInbox, { tenant: this.tenant, keep })
  },
  async addRequests(requests) {
    const [first, last] = [requests[0]?.number, requests.at(-1)?.number]
    if (first === undefined || last === undefined) return
    await this.db.run(this.statements.addRequests, {
      tenant: this.tenant,
      first,
      last,
      entries: JSON.stringify(requests),
    })
  },
  async readRequests(before = Number.MAX_SAFE_INTEGER) {
    const row = await this.db.first(this.statements.readRequests, { tenant: this.tenant, before })
    const batch: RequestRecord[] = row ? JSON.parse(row.entries) : []
    return batch.filter(({ number }) => number < before).reverse()
  },
  async trimRequests(below) {
    await this.db.run(this.statements.trimRequests, { tenant: this.tenant, below })
  },
} satisfies Partial<SandboxTables> & ThisType<SqlContext>
