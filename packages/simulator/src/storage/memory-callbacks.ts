import type { SandboxCallback, ScheduledReport } from './records.ts'
import type { SandboxTables } from './sandbox-storage.ts'
import type { Waiting } from './sorted-list.ts'
import { newestFirst, sortedIds, type TenantMemory } from './tenant-memory.ts'
import { deleteLogged, setLogged, type UndoLog } from './undo-log.ts'

/** The tables of callbacks in a tenant's memory. */
export function memoryCallbackTables(memory: TenantMemory, log: UndoLog) {
  const { callbacks, callbackIds, callbacksOfLead, pendingCallbacks } = memory
  const find = (callbackId: string) => callbacks.get(callbackId)?.record
  const ofLead = (leadId: string) => callbacksOfLead.get(leadId) ?? []

  return {
    async addCallback(record) {
      const { callback_id, lead_id } = record
      memory.place += 1
      put(memory, { record, place: memory.place }, log)
      callbackIds.add(callback_id, log)
      setLogged(callbacksOfLead, lead_id, [...ofLead(lead_id), callback_id], log)
    },
    async findCallback(callbackId) {
      return find(callbackId)
    },
    async listCallbacks(leadId) {
      return ofLead(leadId).map(id => find(id) as SandboxCallback)
    },
    async listAllCallbacks({ lead_id, state, ...page }) {
      return newestFirst(lead_id === undefined ? callbackIds : sortedIds(ofLead(lead_id)), page, id => {
        const callback = find(id)
        return state === undefined || callback?.state === state ? callback : undefined
      })
    },
    async listPendingCallbacks(limit) {
      return pendingCallbacks.items.slice(0, limit).map(({ record }) => record)
    },
    async countPendingCallbacks() {
      return pendingCallbacks.items.length
    },
  } satisfies Partial<SandboxTables>
}

/** The tables of deliveries in a tenant's memory: what is due, leased, tried and postponed. */
export function memoryDeliveryTables(memory: TenantMemory, log: UndoLog) {
  const { pendingCallbacks, leases } = memory

  /** Changes a callback; ignores one that is not there. */
  function change(callbackId: string, changed: (before: SandboxCallback) => SandboxCallback): void {
    const callback = memory.callbacks.get(callbackId)
    if (callback) put(memory, { ...callback, record: changed(callback.record) }, log)
  }

  return {
    async leaseDueCallbacks({ due_by, now, until, limit }) {
      const due: SandboxCallback[] = []
      for (const callback of pendingCallbacks.items) {
        const { callback_id, due_at = Infinity } = callback.record
        if (due.length >= limit || due_at > due_by) break
        if ((leases.get(callback_id) ?? 0) <= now && !isHeldUp(memory, callback)) due.push(callback.record)
      }
      for (const { callback_id } of due) setLogged(leases, callback_id, until, log)
      return due
    },
    async recordAttempt({ callback_id, url, attempt, state, due_at }) {
      deleteLogged(leases, callback_id, log)
      change(callback_id, ({ held: _, ...before }) => ({
        ...before,
        url,
        state,
        due_at,
        attempts: [...before.attempts, attempt],
      }))
    },
    async nextCallbackDue(after = Number.NEGATIVE_INFINITY) {
      const isNext = (callback: Waiting<SandboxCallback>) =>
        (callback.record.due_at ?? Infinity) > after && !isHeldUp(memory, callback)
      return pendingCallbacks.items.find(isNext)?.record.due_at
    },
    async limitRetries(latest) {
      for (const { record } of pendingCallbacks.items.filter(isDueAfter(latest)))
        if (record.held === undefined) change(record.callback_id, before => ({ ...before, due_at: latest }))
    },
    async bringForward(ms, after) {
      for (const { record } of pendingCallbacks.items.filter(isDueAfter(after)))
        change(record.callback_id, before => ({ ...before, due_at: (before.due_at ?? 0) - ms }))
      for (const { record, place } of memory.dueReports.items.filter(isDueAfter(after)))
        putReport(memory, { record: { ...record, due_at: record.due_at - ms }, place }, log)
    },
    async postponeCallback({ callback_id, due_at, held }) {
      deleteLogged(leases, callback_id, log)
      change(callback_id, before => (before.state === 'pending' ? { ...before, due_at, held } : before))
    },
    async releaseReordered(leadId, due_at) {
      for (const id of memory.callbacksOfLead.get(leadId) ?? [])
        if (isReordered(memory.callbacks.get(id)?.record)) change(id, before => ({ ...before, due_at }))
    },
    async requeueCallback(callbackId, due_at) {
      deleteLogged(leases, callbackId, log)
      change(callbackId, ({ held: _, ...before }) => ({
        ...before,
        state: 'pending',
        due_at,
        resent_after: before.attempts.length,
      }))
    },
  } satisfies Partial<SandboxTables>
}

function put({ callbacks, pendingCallbacks }: TenantMemory, callback: Waiting<SandboxCallback>, log: UndoLog): void {
  const { callback_id, state } = callback.record
  const before = callbacks.get(callback_id)
  if (before?.record.state === 'pending') pendingCallbacks.remove(before, log)
  if (state === 'pending') pendingCallbacks.add(callback, log)
  setLogged(callbacks, callback_id, callback, log)
}

/** Whether an older callback of the same lead goes first. */
function isHeldUp({ callbacks, callbacksOfLead }: TenantMemory, { record, place }: Waiting<SandboxCallback>): boolean {
  const goesFirst = (id: string) => {
    const other = callbacks.get(id)
    if (other === undefined || other.place >= place) return false
    return other.record.state === 'pending' && other.record.held !== 'reorder'
  }
  return record.held !== 'reorder' && (callbacksOfLead.get(record.lead_id) ?? []).some(goesFirst)
}

/** Puts a report in the place of the one that has its id. */
function putReport({ reports, dueReports }: TenantMemory, report: Waiting<ScheduledReport>, log: UndoLog): void {
  const { report_id } = report.record
  const before = reports.get(report_id)
  if (before) dueReports.remove(before, log)
  dueReports.add(report, log)
  setLogged(reports, report_id, report, log)
}

function isDueAfter(time: number) {
  return ({ record: { due_at } }: { record: { due_at?: number | undefined } }) => due_at !== undefined && due_at > time
}

function isReordered(callback: SandboxCallback | undefined): boolean {
  return callback?.state === 'pending' && callback.held === 'reorder'
}
