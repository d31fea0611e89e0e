import { memoryCallbackTables, memoryDeliveryTables } from './memory-callbacks.ts'
import { memoryLeadTables } from './memory-leads.ts'
import type { ScheduledReport } from './records.ts'
import type { SandboxTables } from './sandbox-storage.ts'
import type { TenantMemory } from './tenant-memory.ts'
import { deleteLogged, replaceLogged, setLogged, type UndoLog } from './undo-log.ts'

/** The tables in a tenant's memory; the log can take back each write. Records are never changed: they are replaced. */
export function memoryTables(memory: TenantMemory, log: UndoLog): SandboxTables {
  return {
    ...memoryLeadTables(memory, log),
    ...memoryCallbackTables(memory, log),
    ...memoryDeliveryTables(memory, log),
    ...memoryReportTables(memory, log),
    ...memoryDocumentTables(memory, log),
    ...memoryIncomingTables(memory, log),
  }
}

/** The tables of scheduled reports in a tenant's memory. */
function memoryReportTables(memory: TenantMemory, log: UndoLog) {
  const { reports, dueReports } = memory

  return {
    async addReport(record) {
      memory.place += 1
      const report = { record, place: memory.place }
      dueReports.add(report, log)
      setLogged(reports, record.report_id, report, log)
    },
    async listDueReports(due_by, limit) {
      const due: ScheduledReport[] = []
      for (const { record } of dueReports.items) {
        if (due.length >= limit || record.due_at > due_by) break
        due.push(record)
      }
      return due
    },
    async removeReport(reportId) {
      const report = reports.get(reportId)
      if (!report) return
      dueReports.remove(report, log)
      deleteLogged(reports, reportId, log)
    },
    async nextReportDue(after = Number.NEGATIVE_INFINITY) {
      return dueReports.items.find(({ record }) => record.due_at > after)?.record.due_at
    },
    async countReports() {
      return reports.size
    },
  } satisfies Partial<SandboxTables>
}

/** The tables of chains and documents in a tenant's memory. */
function memoryDocumentTables(memory: TenantMemory, log: UndoLog) {
  return {
    async readChain(key) {
      return memory.chains.get(key) ?? 0
    },
    async setChain(key, applied) {
      setLogged(memory.chains, key, applied, log)
    },
    async listChains(limit) {
      return [...memory.chains].slice(0, limit)
    },
    async readDocuments() {
      return { ...memory.documents }
    },
    async writeDocument(name, value) {
      replaceLogged(memory, 'documents', { ...memory.documents, [name]: value }, log)
    },
  } satisfies Partial<SandboxTables>
}

/** The tables of the inbox and the journal in a tenant's memory. */
function memoryIncomingTables(memory: TenantMemory, log: UndoLog) {
  return {
    async addInboxEntry(entry) {
      const number = (memory.inbox.at(-1)?.number ?? 0) + 1
      replaceLogged(memory, 'inbox', [...memory.inbox, { number, ...entry }], log)
    },
    async listInbox({ before = Infinity, limit }) {
      const end = memory.inbox.findLastIndex(({ number }) => number < before) + 1
      return memory.inbox.slice(Math.max(0, end - limit), end).reverse()
    },
    async trimInbox(keep) {
      const surplus = memory.inbox.length - keep
      if (surplus > 0) replaceLogged(memory, 'inbox', memory.inbox.slice(surplus), log)
    },
    async addRequests(requests) {
      if (requests.length > 0) replaceLogged(memory, 'requests', [...memory.requests, [...requests]], log)
    },
    async readRequests(before = Infinity) {
      const batch = memory.requests.findLast(batch => batch.some(({ number }) => number < before)) ?? []
      return batch.filter(({ number }) => number < before).reverse()
    },
    async trimRequests(below) {
      const kept = memory.requests.filter(batch => batch.some(({ number }) => number >= below))
      replaceLogged(memory, 'requests', kept, log)
    },
  } satisfies Partial<SandboxTables>
}
