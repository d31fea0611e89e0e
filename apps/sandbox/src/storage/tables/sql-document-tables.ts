import type { SandboxTables } from '@lead-distribution/simulator'
import type { SqlContext } from './sql-context.ts'

/** One tenant's tables of chains and documents. */
export const sqlDocumentTables = {
  async readChain(chain) {
    return (await this.db.first(this.statements.readChain, { tenant: this.tenant, chain }))?.plays ?? 0
  },
  async setChain(chain, plays) {
    await this.db.run(this.statements.setChain, { tenant: this.tenant, chain, plays })
  },
  async readDocuments() {
    const rows = await this.db.all(this.statements.readDocuments, { tenant: this.tenant })
    return Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value)]))
  },
  async writeDocument(name, value) {
    await this.db.run(this.statements.writeDocument, { tenant: this.tenant, name, value: JSON.stringify(value) })
  },
} satisfies Partial<SandboxTables> & ThisType<SqlContext>
