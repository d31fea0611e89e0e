import { callbackTables } from './callback-tables.ts'
import { incomingTables } from './incoming-tables.ts'
import { leadTables } from './lead-tables.ts'
import { reportTables } from './report-tables.ts'
import type { Transaction } from './table.ts'
import type { TableContext } from './tables.ts'

const methods = { ...leadTables, ...callbackTables, ...incomingTables, ...reportTables }

/** The content of a tenant during one transaction. */
export type SandboxTables = typeof methods

/** Returns the tables of a transaction. The methods are shared: making them for each transaction costs the hot path a twentieth. */
export function sandboxTables(db: Transaction): SandboxTables {
  return Object.assign(Object.create(methods), { db } satisfies TableContext)
}
