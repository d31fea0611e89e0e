import type { SandboxTables, ScheduledReport, SharedChanges, TenantDocuments } from '@lead-distribution/simulator'
import { beforeAllTimes, statement, type TableContext, type TenantKey } from './statement.ts'

interface DocumentRow extends TenantKey {
  name: keyof TenantDocuments
  /** As JSON. */
  value: string
}

const keptInMemory: readonly (keyof SharedChanges['tenants'][number]['documents'])[] = ['clock', 'faults', 'inbox']

/** The names of the documents that processes keep in memory, as SQL: each process is to see that they have changed. */
export const sharedDocuments = `(${keptInMemory.map(name => `'${name}'`).join(', ')})`

const dueReports = `select report_id, lead_id, advertiser_id, event, due_at from reports
 where tenant = :tenant and due_at <= :due_by order by due_at, seq limit :limit`

/** Returns the stored JSON; or the text itself if it is not JSON, which no shape accepts. */
export function parseStored(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Statements for scheduled reports, chains of scenarios, the coverage and documents. */
export const reportStatements = {
  addReport: statement<TenantKey & ScheduledReport>(
    `insert into reports (tenant, report_id, lead_id, advertiser_id, event, due_at)
     values (:tenant, :report_id, :lead_id, :advertiser_id, :event, :due_at)`,
  ),
  listDueReports: statement<TenantKey & { due_by: number; limit: number }, ScheduledReport>(
    dueReports,
    // What another process takes at this moment is its own.
    `${dueReports} for update skip locked`,
  ),
  removeReport: statement<TenantKey & { report_id: string }>(
    'delete from reports where tenant = :tenant and report_id = :report_id',
    // Counted where another process waits for the number, also if two processes made the report.
    `with removed as (delete from reports where tenant = :tenant and report_id = :report_id returning tenant)
     update counters set next = next + 1 from removed where counters.tenant = removed.tenant and series = 'jobs'`,
  ),
  nextReportDue: statement<TenantKey & { after: number }, { due_at: number }>(
    'select due_at from reports where tenant = :tenant and due_at > :after order by due_at limit 1',
  ),
  bringForward: statement<TenantKey & { ms: number; after: number }>(
    'update reports set due_at = due_at - :ms where tenant = :tenant and due_at > :after',
  ),
  countReports: statement<TenantKey, { count: number }>('select count(*) as count from reports where tenant = :tenant'),
  readChain: statement<TenantKey & { chain: string }, { plays: number }>(
    'select plays from chains where tenant = :tenant and chain = :chain',
    // Locks the row, also where there was none: the next process counts on from what this one sets.
    `insert into chains (tenant, chain, plays) values (:tenant, :chain, 0)
     on conflict (tenant, chain) do update set plays = chains.plays returning plays`,
  ),
  setChain: statement<TenantKey & { chain: string; plays: number }>(
    `insert into chains (tenant, chain, plays) values (:tenant, :chain, :plays)
     on conflict (tenant, chain) do update set plays = excluded.plays`,
  ),
  listChains: statement<TenantKey & { limit: number }, { chain: string; plays: number }>(
    'select chain, plays from chains where tenant = :tenant order by chain limit :limit',
  ),
  addCoverage: statement<TenantKey & { name: string; count: number }>(
    `insert into coverage (tenant, name, count) values (:tenant, :name, :count)
     on conflict (tenant, name) do update set count = coverage.count + excluded.count`,
  ),
  readCoverage: statement<TenantKey, { name: string; count: number }>(
    'select name, count from coverage where tenant = :tenant order by name',
  ),
  readDocuments: statement<TenantKey, Pick<DocumentRow, 'name' | 'value'>>(
    'select name, value from documents where tenant = :tenant',
  ),
  writeDocument: statement<DocumentRow>(
    `insert into documents (tenant, name, value) values (:tenant, :name, :value)
     on conflict (tenant, name) do update set value = excluded.value`,
    `with changed as (
       update tenants set version = default where tenant = :tenant and :name in ${sharedDocuments})
     insert into documents (tenant, name, value) values (:tenant, :name, :value)
     on conflict (tenant, name) do update set value = excluded.value`,
  ),
}

/** One tenant's tables of scheduled reports, chains of scenarios and documents. */
export const reportTables = {
  async addReport({ report_id, lead_id, advertiser_id, event, due_at }) {
    const row = { tenant: this.tenant, report_id, lead_id, advertiser_id, event, due_at }
    await this.db.write(reportStatements.addReport, row)
  },
  async listDueReports(due_by, limit) {
    await this.db.turn?.(this.tenant)
    const rows = await this.db.all(reportStatements.listDueReports, { tenant: this.tenant, due_by, limit })
    // A row of the database has no prototype.
    return rows.map(row => ({ ...row }))
  },
  async removeReport(report_id) {
    await this.db.write(reportStatements.removeReport, { tenant: this.tenant, report_id })
  },
  async nextReportDue(after = beforeAllTimes) {
    return (await this.db.first(reportStatements.nextReportDue, { tenant: this.tenant, after }))?.due_at
  },
  async countReports() {
    return (await this.db.first(reportStatements.countReports, { tenant: this.tenant }))?.count ?? 0
  },
  async readChain(chain) {
    await this.db.turn?.(this.tenant)
    return (await this.db.first(reportStatements.readChain, { tenant: this.tenant, chain }))?.plays ?? 0
  },
  async setChain(chain, applied) {
    await this.db.write(reportStatements.setChain, { tenant: this.tenant, chain, plays: applied })
  },
  async listChains(limit) {
    const rows = await this.db.all(reportStatements.listChains, { tenant: this.tenant, limit })
    return rows.map(({ chain, plays }) => [chain, plays])
  },
  async addCoverage(counts) {
    // In one order, so that processes do not wait for each other in a circle.
    for (const [name, count] of Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)))
      await this.db.write(reportStatements.addCoverage, { tenant: this.tenant, name, count })
  },
  async readCoverage() {
    const rows = await this.db.all(reportStatements.readCoverage, { tenant: this.tenant })
    return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
  },
  async readDocuments() {
    await this.db.turn?.(`${this.tenant} documents`, 'everywhere')
    const rows = await this.db.all(reportStatements.readDocuments, { tenant: this.tenant })
    return Object.fromEntries(rows.map(({ name, value }) => [name, parseStored(value)]))
  },
  async writeDocument(name, value) {
    await this.db.write(reportStatements.writeDocument, { tenant: this.tenant, name, value: JSON.stringify(value) })
  },
} satisfies Partial<SandboxTables> & ThisType<TableContext>
