import type { SandboxStorage } from '@lead-distribution/simulator'
import { statements } from './sql/sqlite.generated.ts'
import { createGroupCommit } from './sqlite/group-commit.ts'
import { openFile, type SqliteOptions } from './sqlite/open-file.ts'
import { createSqliteConnection } from './sqlite/sqlite-connection.ts'
import { createSqlStorage } from './tables/sql-storage.ts'

/**
 * The sandbox's storage in a SQLite file, which is made where there is none. Rejects with a sentence that says what
 * to do where the file cannot serve. One process has a file: leases that a killed one left behind are released.
 */
export async function openSqliteStorage(file: string, options?: SqliteOptions): Promise<SandboxStorage> {
  const connection = createSqliteConnection(openFile(file, options))
  connection.run(statements.releaseLeases, {})
  return createSqlStorage(createGroupCommit(connection), statements)
}
