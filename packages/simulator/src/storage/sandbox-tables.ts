import { callbackTables } from './callback-tables.ts'
import { incomingTables } from './incoming-tables.ts'
import { leadTables } from './lead-tables.ts'
import { reportTables } from './report-tables.ts'
import type { Transaction } from './table.ts'
import type { TableContext } from './tables.ts'

const methods = { ...leadTables, ...callbackTables, ...incomingTables, ...reportTables }

/** A tenant's data within a transaction. */
export type SandboxTables = typeof methods

/**
 * Returns the tables of a transaction. The methods are on a shared prototype: creating them for each transaction costs
 * the hot path 5%.
 */
export function sandboxTables(db: Transaction): SandboxTables {
  return Object.assign(Object.create(methods), { db } satisfies TableContext)
}
