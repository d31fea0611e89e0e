import type { SandboxTables } from '@lead-distribution/simulator'
import type { Statements } from '../sql/queries.ts'
import type { Executor } from '../sql/statement.ts'

/** One tenant's tables of chains and documents. */
export function sqlDocumentTables(db: Executor, statements: Statements, tenant: string) {
  return {
    async readChain(chain) {
      return (await db.first(statements.readChain, { tenant, chain }))?.plays ?? 0
    },
    async setChain(chain, plays) {
      await db.run(statements.setChain, { tenant, chain, plays })
    },
    async readDocuments() {
      const rows = await db.all(statements.readDocuments, { tenant })
      return Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value)]))
    },
    async writeDocument(name, value) {
      await db.run(statements.writeDocument, { tenant, name, value: JSON.stringify(value) })
    },
  } satisfies Partial<SandboxTables>
}
