import { callbackTables } from './callback-tables.ts'
import { incomingTables } from './incoming-tables.ts'
import { leadTables } from './lead-tables.ts'
import { reportTables } from './report-tables.ts'
import type { Transaction } from './table.ts'
import type { TableContext } from './tables.ts'

const methods = { ...leadTables, ...callbackTables, ...incomingTables, ...reportTables }

/** What is stored of a tenant and what it means, for the length of one transaction. */
export type SandboxTables = typeof methods

/** Returns the tables of a transaction. The methods are shared: making them for each transaction costs the hot path a twentieth. */
export function sandboxTables(db: Transaction): SandboxTables {
  const context: TableContext = { db }
  return Object.assign(Object.create(methods), context)
}
