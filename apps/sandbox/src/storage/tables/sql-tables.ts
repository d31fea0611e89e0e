import type { SandboxTables } from '@lead-distribution/simulator'
import type { Statements } from '../sql/queries.ts'
import type { Executor } from '../sql/statement.ts'
import { sqlCallbackTables } from './sql-callback-tables.ts'
import { sqlDocumentTables } from './sql-document-tables.ts'
import { sqlIncomingTables } from './sql-incoming-tables.ts'
import { sqlLeadTables } from './sql-lead-tables.ts'
import { sqlReportTables } from './sql-report-tables.ts'

/** One tenant's tables in a SQL database, for the length of one transaction. */
export function sqlTables(db: Executor, statements: Statements, tenant: string): SandboxTables {
  return {
    ...sqlLeadTables(db, statements, tenant),
    ...sqlCallbackTables(db, statements, tenant),
    ...sqlReportTables(db, statements, tenant),
    ...sqlDocumentTables(db, statements, tenant),
    ...sqlIncomingTables(db, statements, tenant),
  }
}
