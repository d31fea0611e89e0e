import type { SandboxTables } from '../ports/sandbox-tables.ts'
import { memoryCallbackTables } from './callback-tables.ts'
import { memoryDocumentTables } from './document-tables.ts'
import { memoryIncomingTables } from './incoming-tables.ts'
import { memoryLeadTables } from './lead-tables.ts'
import { memoryReportTables } from './report-tables.ts'
import type { TenantMemory } from './tenant-memory.ts'
import type { UndoLog } from './undo-log.ts'

/** The tables over a tenant's memory; each write can be taken back by the log. Nobody changes a record: it is replaced. */
export function memoryTables(memory: TenantMemory, log: UndoLog): SandboxTables {
  return {
    ...memoryLeadTables(memory, log),
    ...memoryCallbackTables(memory, log),
    ...memoryReportTables(memory, log),
    ...memoryDocumentTables(memory, log),
    ...memoryIncomingTables(memory, log),
  }
}
