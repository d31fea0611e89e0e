import { firstTables } from './0001-first-tables.ts'
import { sandboxTables } from './0002-sandbox-tables.ts'
import { contentAndLookUps } from './0003-content-and-look-ups.ts'
import { searchedLeads } from './0004-searched-leads.ts'
import { manyProcesses } from './0005-many-processes.ts'
import { streamsOfProcesses } from './0006-streams-of-processes.ts'
import { keysByTenant } from './0007-keys-by-tenant.ts'
import type { Migration } from './migration.ts'

/** Every migration, oldest first. A database counts those that it has had. */
export const migrations: readonly Migration[] = [
  firstTables,
  sandboxTables,
  contentAndLookUps,
  searchedLeads,
  manyProcesses,
  streamsOfProcesses,
  keysByTenant,
]
