import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createMemoryStorage,
  type SandboxStorage,
  type SandboxTables,
  type TenantRecord,
  type Transaction,
} from '@lead-distribution/simulator'
import {
  callbackRecord,
  eventRecord,
  inboxEntry,
  leadRecord,
  requestRecord,
  scheduledReport,
  tenantRecord,
} from '@lead-distribution/simulator/records.fixture'
import { inject, onTestFinished } from 'vitest'
import { emptyDatabase } from '../postgres/database.fixture.ts'
import { openPostgresStorage } from '../postgres/postgres-storage.ts'
import { expectIndexes as expectPostgresIndexes } from '../postgres/query-plans.fixture.ts'
import { openSqliteStorage } from '../sqlite/sqlite-storage.ts'
import { expectIndexes } from './query-plans.fixture.ts'

/** Returns a path in a new folder that is deleted after the test. */
export function temporaryFile(name = 'sandbox.db'): string {
  const folder = mkdtempSync(join(tmpdir(), 'lead-storage-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, name)
}

/** Opens every storage of the test's project, empty; each is closed after the test. */
export const storages: Record<string, () => Promise<SandboxStorage>> = inject('postgresUrl')
  ? { postgres: async () => closing(await openPostgresStorage(await emptyDatabase())) }
  : {
      memory: async () => createMemoryStorage(),
      sqlite: async () => closing(await openSqliteStorage(temporaryFile())),
    }

/** Opens the same storages, and requires that the test's statements use indexes. */
export const adapters: typeof storages = Object.fromEntries(
  Object.entries(storages).map(([name, open]) => [
    name,
    () => {
      // Version 15 cannot explain a statement without its values; checking with the latest version is enough.
      if (name === 'postgres' && process.env.LEAD_TEST_POSTGRES === undefined) expectPostgresIndexes()
      if (name === 'sqlite') expectIndexes()
      return open()
    },
  ]),
)

/** Closes a storage after the test. */
export function closing(storage: SandboxStorage): SandboxStorage {
  onTestFinished(() => storage.close())
  return storage
}

/** Returns the memories of two tenants of a storage. */
export async function twoTenants(open: () => Promise<SandboxStorage>) {
  const sandbox = await open()
  for (const name of ['t1', 't2']) await sandbox.addTenant(tenantRecord(name))
  return [sandbox.of('t1'), sandbox.of('t2')] as const
}

/** Returns the primitives behind the tables of a transaction. */
export const primitivesOf = (tables: SandboxTables): Transaction => (tables as unknown as { db: Transaction }).db

/** Returns the records of all tenants. */
export async function listRecords(storage: SandboxStorage): Promise<TenantRecord[]> {
  return (await storage.listTenants()).map(({ record }) => record as TenantRecord)
}

/** Fills a tenant with some of everything, marked to tell it from other calls. */
export async function fill(sandbox: SandboxStorage, tenant: string, mark: string): Promise<void> {
  await sandbox.of(tenant).transact(async tables => {
    await tables.claimCustomer('p1', `${mark}@example.com`, `${mark}-l1`)
    await tables.markRefused('p1', 'refused@example.com', mark.length)
    await tables.addLead(leadRecord(`${mark}-l1`))
    await tables.addLead(leadRecord(`${mark}-l2`, { status: 'rejected', rejection_reason: 'age_restriction' }))
    for (const event of ['sale', 'registration', 'approval'])
      await tables.claimEvent(eventRecord(`${mark}-l1`, event, { ref: mark }))
    await tables.addCallback(callbackRecord(`${mark}-c2`, `${mark}-l1`, { held: 'delay', resent_after: 1 }))
    await tables.addCallback(callbackRecord(`${mark}-c1`, `${mark}-l1`))
    await tables.addCallback(callbackRecord(`${mark}-c3`, `${mark}-l1`, { state: 'failed', due_at: undefined }))
    await tables.addReport(scheduledReport(`${mark}-r2`))
    await tables.addReport(scheduledReport(`${mark}-r1`))
    await tables.setChain('chain', mark.length)
    for (const received_at of [2, 1]) await tables.addInboxEntry(inboxEntry(received_at))
    const number = ((await tables.readRequests())[0]?.number ?? 0) + 1
    await tables.addRequests([requestRecord(number, { outcome: mark }), requestRecord(number + 1)])
    const { number: _, ...entry } = requestRecord(0)
    await tables.appendRequests([entry], number + 2, [{ request: { state: 'whole', text: mark } }])
    await tables.writeDocument('clock', { mode: 'frozen', now: mark.length })
    await tables.addCoverage({ [`mark/${mark}`]: 1 })
  })
}

/** Restores a tenant from a snapshot and resolves to its record; undefined if there is no snapshot with this name. */
export async function restoreSnapshot(sandbox: SandboxStorage, tenant: string, name: string) {
  return (await sandbox.restoreSnapshot(tenant, name, async record => ({ record })))?.record
}

/** Returns the latest ids of a tenant. */
export function newestIds(sandbox: SandboxStorage, tenant: string) {
  return sandbox.of(tenant).read(tables => tables.newestIds())
}

/** Returns all marked records of a tenant; changes nothing. */
export function contentOf(sandbox: SandboxStorage, tenant: string, marks: readonly string[]) {
  return sandbox.of(tenant).read(async tables => ({
    customers: await Promise.all([...marks, 'refused'].map(mark => tables.findCustomer('p1', `${mark}@example.com`))),
    leads: await tables.listLeads({ limit: 99 }),
    events: await Promise.all(marks.map(mark => tables.listEvents(`${mark}-l1`))),
    callbacks: await Promise.all(marks.map(mark => tables.listCallbacks(`${mark}-l1`))),
    due: [await tables.nextCallbackDue(), await tables.countPendingCallbacks()],
    reports: [await tables.listDueReports(Infinity, 99), await tables.nextReportDue(), await tables.countReports()],
    chain: await tables.readChain('chain'),
    inbox: await tables.listInbox({ limit: 99 }),
    requests: [await tables.readRequests(), await tables.readRequests(2)],
    documents: await tables.readDocuments(),
    coverage: await tables.readCoverage(),
  }))
}
