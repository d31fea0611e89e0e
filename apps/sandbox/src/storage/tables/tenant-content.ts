import { contentTableNames } from '../sql/content-tables.ts'
import type { Statements } from '../sql/queries.ts'
import type { Executor } from '../sql/statement.ts'

/** Copies all that a tenant has to another that has nothing. The database does it: no row comes into our memory. */
export async function copyContent(db: Executor, statements: Statements, ends: { from: string; to: string }) {
  for (const table of contentTableNames) await db.run(statements[`copy_${table}`], ends)
}

/** Removes all that a tenant has. */
export async function clearContent(db: Executor, statements: Statements, tenant: string) {
  for (const table of contentTableNames) await db.run(statements[`clear_${table}`], { tenant })
}
