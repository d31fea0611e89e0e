import { DatabaseSync } from 'node:sqlite'
import { createMemoryStorage, type SandboxStorage } from '@lead-distribution/simulator'
import { inject } from 'vitest'
import { emptyDatabase, query } from '../postgres/database.fixture.ts'
import { openPostgresStorage } from '../postgres/postgres-storage.ts'
import { openSqliteStorage } from '../sqlite/sqlite-storage.ts'
import { temporaryFile } from './storage.fixture.ts'

/** A storage that is reopened repeatedly, and edited in between. */
export interface Editable {
  open(): Promise<SandboxStorage>
  /** Replaces the text of a tenant's record, or of one of its documents. */
  edit(tenant: string, edit: (record: string) => string, document?: string): Promise<void>
}

/** Every storage available in the test's project. */
export const editables: Record<string, () => Promise<Editable>> = inject('postgresUrl')
  ? { postgres: editablePostgres }
  : { memory: editableMemory, sqlite: editableSqlite }

async function editableMemory(): Promise<Editable> {
  const storage = createMemoryStorage()
  return {
    open: async () => storage,
    async edit(tenant, edit, document) {
      const listed = (await storage.listTenants()).find(each => each.tenant === tenant)
      if (document === undefined) return storage.replaceTenant(JSON.parse(edit(JSON.stringify(listed?.record))))
      await storage.of(tenant).transact(tables => tables.writeDocument('clock', JSON.parse(edit(''))))
    },
  }
}

async function editableSqlite(): Promise<Editable> {
  const file = temporaryFile()
  return {
    open: () => openSqliteStorage(file),
    async edit(tenant, edit, document) {
      const database = new DatabaseSync(file)
      const row = database.prepare('select tenant, record from tenants where name = ?').get(tenant)
      const { tenant: key = '', record = '' } = row ?? {}
      if (document === undefined)
        database.prepare('update tenants set record = ? where name = ?').run(edit(String(record)), tenant)
      else
        database
          .prepare('insert or replace into documents (tenant, name, value) values (?, ?, ?)')
          .run(key, document, edit(''))
      database.close()
    },
  }
}

async function editablePostgres(): Promise<Editable> {
  const url = await emptyDatabase()
  const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
  return {
    open: () => openPostgresStorage(url),
    async edit(tenant, edit, document) {
      const [row] = await query(`select tenant, record from tenants where name = ${quoted(tenant)}`, url)
      if (document === undefined)
        await query(
          `update tenants set record = ${quoted(edit(String(row?.record)))} where name = ${quoted(tenant)}`,
          url,
        )
      else
        await query(
          `insert into documents (tenant, name, value) values (${quoted(String(row?.tenant))}, ${quoted(document)}, ${quoted(edit(''))})
           on conflict (tenant, name) do update set value = excluded.value`,
          url,
        )
    },
  }
}
