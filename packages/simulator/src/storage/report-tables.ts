import type { ScheduledReport, TenantDocuments } from './records.ts'
import { sharedDocuments } from './shared-storage.ts'
import { chains, documents, reports, type TableContext } from './tables.ts'

/** Methods on scheduled reports, scenario chains and documents. */
export const reportTables = {
  async addReport(report: ScheduledReport): Promise<void> {
    this.db.insert(reports, report)
  },
  /**
   * Lists the reports due by a time on the tenant's clock, earliest first, then in insertion order. Concurrent
   * transactions get different reports.
   */
  async listDueReports(due_by: number, limit: number): Promise<ScheduledReport[]> {
    return this.db.scan(reports, 'due', { through: [due_by], limit, lock: 'skip locked' })
  },
  async removeReport(reportId: string): Promise<void> {
    // Counted once, even if two processes sent the report.
    const report = this.db.shared && (await this.db.get(reports, [reportId], { lock: true }))
    if (report) this.db.shared?.countJobs(1)
    this.db.remove(reports, 'key', { of: [reportId] })
  },
  /** Returns the due time of the next report, optionally after a time; undefined if none is pending. */
  async nextReportDue(after = Number.MIN_SAFE_INTEGER): Promise<number | undefined> {
    return (await this.db.scan(reports, 'due', { after: [after], limit: 1 }))[0]?.due_at
  },
  async countReports(): Promise<number> {
    return this.db.count(reports, 'key')
  },

  /**
   * Reads how many scenarios of a chain have been applied, 0 by default. Transactions that read the same chain are
   * serialized.
   */
  async readChain(chain: string): Promise<number> {
    await this.db.lock(`chain ${chain}`)
    return (await this.db.get(chains, [chain]))?.applied ?? 0
  },
  /** Sets how many scenarios of a chain have been applied. */
  async setChain(chain: string, applied: number): Promise<void> {
    this.db.put(chains, { chain, applied })
  },
  /** Lists the chains' keys, each with the number of scenarios applied. */
  async listChains(limit: number): Promise<[key: string, applied: number][]> {
    return (await this.db.scan(chains, 'key', { limit })).map(({ chain, applied }) => [chain, applied])
  },

  /** Reads all stored documents. Transactions that read them are serialized. */
  async readDocuments(): Promise<Partial<TenantDocuments>> {
    await this.db.lock('documents')
    const all = await this.db.scan(documents, 'key', {})
    return Object.fromEntries(all.map(({ name, value }) => [name, parseStored(value)]))
  },
  async writeDocument<Name extends keyof TenantDocuments>(name: Name, value: TenantDocuments[Name]): Promise<void> {
    if (sharedDocuments.some(shared => shared === name)) this.db.shared?.touchTenant()
    this.db.put(documents, { name, value: JSON.stringify(value) })
  },

  /** Stores this transaction's stream events, if processes share the storage. */
  async addStreamEvents(events: readonly object[]): Promise<void> {
    this.db.shared?.publish(events)
  },
} satisfies ThisType<TableContext> & object

/** Parses stored JSON. Returns text that is not JSON unchanged, which no shape accepts. */
export function parseStored(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
