import type { SandboxTables } from '@lead-distribution/simulator'
import { sqlCallbackTables } from './sql-callback-tables.ts'
import type { SqlContext } from './sql-context.ts'
import { sqlDocumentTables } from './sql-document-tables.ts'
import { sqlIncomingTables } from './sql-incoming-tables.ts'
import { sqlLeadTables } from './sql-lead-tables.ts'
import { sqlReportTables } from './sql-report-tables.ts'

const methods = {
  ...sqlLeadTables,
  ...sqlCallbackTables,
  ...sqlReportTables,
  ...sqlDocumentTables,
  ...sqlIncomingTables,
} satisfies SandboxTables

/**
 * One tenant's tables in a SQL database, for the length of one transaction. The methods are shared: made anew for each
 * transaction they cost the busiest endpoint a twentieth, most of it in collecting them again.
 */
export function sqlTables({ db, statements, tenant }: SqlContext): SandboxTables {
  return Object.assign(Object.create(methods), { db, statements, tenant })
}
