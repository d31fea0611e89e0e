import type { CallbackState, CustomerRecord, LeadRecord } from '@lead-distribution/engine'
import {
  type LeasedCallback,
  type RequestRecord,
  type SandboxCallback,
  type ScheduledReport,
  withResponse,
} from './records.ts'
import type { CallbackCount, LeadCount, LeadSearch, SandboxTables } from './sandbox-storage.ts'
import {
  deleteLogged,
  newestFirst,
  replaceLogged,
  setLogged,
  sortedIds,
  type TenantMemory,
  type UndoLog,
  type Waiting,
} from './tenant-memory.ts'

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
    async addCoverage(counts) {
      for (const [name, count] of Object.entries(counts))
        setLogged(memory.coverage, name, (memory.coverage.get(name) ?? 0) + count, log)
    },
    async readCoverage() {
      return Object.fromEntries(memory.coverage)
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
  const addRequests = (requests: readonly RequestRecord[]) =>
    replaceLogged(memory, 'requests', [...memory.requests, requests], log)
  function trimBodies(below: number): void {
    for (const number of memory.bodies.keys()) if (number < below) deleteLogged(memory.bodies, number, log)
  }
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
      if (requests.length > 0) addRequests([...requests])
    },
    async appendRequests(entries, from, bodies = []) {
      if (entries.length > 0) addRequests(entries.map((entry, index) => ({ number: from + index, ...entry })))
      for (const [index, each] of bodies.entries()) if (each) setLogged(memory.bodies, from + index, each, log)
      return async () => from
    },
    async readRequests(before = Infinity) {
      const batch = memory.requests.findLast(batch => batch.some(({ number }) => number < before)) ?? []
      return batch.filter(({ number }) => number < before).reverse()
    },
    async trimRequests(below) {
      const kept = memory.requests.filter(batch => batch.some(({ number }) => number >= below))
      replaceLogged(memory, 'requests', kept, log)
      trimBodies(below)
    },
    async readBodies(number) {
      return memory.bodies.get(number)
    },
    async trimBodies(below) {
      trimBodies(below)
    },
  } satisfies Partial<SandboxTables>
}

/** The tables of customers, leads and events in a tenant's memory. */
function memoryLeadTables(
  { customers, customerPlaces, leads, leadIds, callbackIds, events }: TenantMemory,
  log: UndoLog,
) {
  function putCustomer(productId: string, email: string, customer: CustomerRecord): void {
    const key = `${productId} ${email}`
    if (!customers.has(key)) customerPlaces.add(placeOf(productId, email), log)
    setLogged(customers, key, customer, log)
  }

  return {
    async newestIds() {
      return { lead_id: leadIds.items.at(-1), callback_id: callbackIds.items.at(-1) }
    },
    async findCustomer(productId, email) {
      return customers.get(`${productId} ${email}`)
    },
    async claimCustomer(productId, email, lead_id) {
      const key = `${productId} ${email}`
      const customer = customers.get(key)
      if (customer?.lead_id !== undefined) return false
      putCustomer(productId, email, { ...customer, lead_id })
      return true
    },
    async markRefused(productId, email, refused_at) {
      putCustomer(productId, email, { ...customers.get(`${productId} ${email}`), refused_at })
    },
    async addLead(lead) {
      leadIds.add(lead.lead_id, log)
      setLogged(leads, lead.lead_id, lead, log)
    },
    async findLead(leadId) {
      return leads.get(leadId)
    },
    async listLeads({ status, email, ...page }) {
      return newestFirst(leadIds, page, id => {
        const lead = leads.get(id)
        if (status !== undefined && lead?.status !== status) return undefined
        return email === undefined || lead?.email === email ? lead : undefined
      })
    },
    async searchLeads({ before, rows, limit, ...search }) {
      const looked = newestFirst(leadIds, { before, limit: rows }, id => leads.get(id))
      const found = looked.filter(lead => isSearched(lead, search)).slice(0, limit)
      const last = found.length === limit ? found.at(-1) : looked.length === rows ? looked.at(-1) : undefined
      return { leads: found, next: last?.lead_id }
    },
    async countLeads({ from, span, rows }) {
      const counts = new Map<string, LeadCount>()
      for (const lead of newestFirst(leadIds, { limit: rows }, id => leads.get(id))) {
        const { status, rejection_reason: reason, received_at } = lead
        if (received_at < from) continue
        const place = Math.floor((received_at - from) / span)
        const key = `${place} ${status} ${reason}`
        const { count, first } = counts.get(key) ?? { count: 0, first: received_at }
        counts.set(key, {
          span: place,
          status,
          ...(reason && { reason }),
          count: count + 1,
          first: Math.min(first, received_at),
        })
      }
      return [...counts.values()]
    },
    async listCustomers(limit, after) {
      // One place further, where there is one to begin after.
      const from = after === undefined ? 0 : customerPlaces.indexOf(placeOf(after.product_id, after.email))
      const isThere = after !== undefined && customerPlaces.items[from] === placeOf(after.product_id, after.email)
      const start = isThere ? from + 1 : from
      return customerPlaces.items.slice(start, start + limit).map(place => {
        const [product_id, email] = fromPlace(place)
        return { product_id, email, ...customers.get(`${product_id} ${email}`) }
      })
    },
    async recordBackendResponse(leadId, advertiserId, response) {
      const lead = leads.get(leadId)
      if (lead)
        setLogged(leads, leadId, { ...lead, deliveries: withResponse(lead.deliveries, advertiserId, response) }, log)
    },
    async claimEvent(event) {
      const known = events.get(event.lead_id) ?? []
      if (known.some(one => one.event === event.event && one.advertiser_id === event.advertiser_id)) return false
      setLogged(events, event.lead_id, [...known, event], log)
      return true
    },
    async listEvents(leadId, through = leadId) {
      return idsFrom(leadIds, leadId, through).flatMap(id => events.get(id) ?? [])
    },
  } satisfies Partial<SandboxTables>
}

function idsFrom(ids: TenantMemory['leadIds'], from: string, through: string): readonly string[] {
  return [...ids.items.slice(ids.indexOf(from), ids.indexOf(through)), through]
}

/** The place of an address in the order of addresses and products. */
const placeOf = (productId: string, email: string) => `${email} ${productId}`

/** The product and the address of a place. An id has no space. */
function fromPlace(place: string): [productId: string, email: string] {
  const space = place.lastIndexOf(' ')
  return [place.slice(space + 1), place.slice(0, space)]
}

function isSearched(
  { status, rejection_reason, product_id, email, received_at }: LeadRecord,
  search: Omit<LeadSearch, 'before' | 'rows' | 'limit'>,
): boolean {
  const { from = Number.NEGATIVE_INFINITY, to = Infinity, email_part = '' } = search
  return (
    (search.status ?? status) === status &&
    (search.reason ?? rejection_reason) === rejection_reason &&
    (search.product_id ?? product_id) === product_id &&
    (search.email ?? email) === email &&
    email.includes(email_part) &&
    received_at >= from &&
    received_at < to
  )
}

/** Removes the oldest leads of a tenant's memory up to one, with all that belongs to them; returns how many. */
export function removeLeads(memory: TenantMemory, through: string, limit: number, log: UndoLog): number {
  const { customers, leads, events, callbacks, callbacksOfLead, pendingCallbacks, leases, reports, dueReports } = memory
  const old: LeadRecord[] = []
  for (const [id, lead] of leads) {
    if (old.length === limit) break
    if (id <= through) old.push(lead)
  }
  const ids = new Set(old.map(({ lead_id }) => lead_id))
  for (const { lead_id, product_id, email, received_at } of old) {
    const key = `${product_id} ${email}`
    const customer = customers.get(key)
    const isOld = customer?.lead_id === undefined && (customer?.refused_at ?? Infinity) <= received_at
    if (customer && (customer.lead_id === lead_id || isOld)) {
      customers.delete(key)
      memory.customerPlaces.remove(placeOf(product_id, email), log)
    }
    for (const id of callbacksOfLead.get(lead_id) ?? []) {
      const callback = callbacks.get(id)
      if (callback?.record.state === 'pending') pendingCallbacks.remove(callback, log)
      callbacks.delete(id)
      memory.callbackIds.remove(id, log)
      leases.delete(id)
    }
    for (const map of [callbacksOfLead, events, leads]) map.delete(lead_id)
    memory.leadIds.remove(lead_id, log)
  }
  for (const [id, report] of reports)
    if (ids.has(report.record.lead_id)) {
      dueReports.remove(report, log)
      reports.delete(id)
    }
  return old.length
}

function memoryCallbackTables(memory: TenantMemory, log: UndoLog) {
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
    async listCallbacks(leadId, through = leadId) {
      return idsFrom(memory.leadIds, leadId, through)
        .flatMap(ofLead)
        .map(id => find(id) as SandboxCallback)
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
    async countCallbacks({ from, rows }) {
      const counts = new Map<CallbackState, CallbackCount>()
      for (const { state, attempts } of newestFirst(callbackIds, { limit: rows }, find)) {
        const at = attempts.at(-1)?.at
        if (state !== 'pending' && (at ?? 0) < from) continue
        const { count, first = at } = counts.get(state) ?? { count: 0 }
        counts.set(state, { state, count: count + 1, first: Math.min(first ?? Infinity, at ?? Infinity) })
      }
      return [...counts.values()].map(({ first = Infinity, ...each }) =>
        first === Infinity ? each : { ...each, first },
      )
    },
    async countPendingCallbacks() {
      return pendingCallbacks.items.length
    },
  } satisfies Partial<SandboxTables>
}

/** The tables of deliveries in a tenant's memory: what is due, leased, tried and postponed. */
function memoryDeliveryTables(memory: TenantMemory, log: UndoLog) {
  const { pendingCallbacks, leases } = memory

  function change(callbackId: string, changed: (before: SandboxCallback) => SandboxCallback): void {
    const callback = memory.callbacks.get(callbackId)
    if (callback) put(memory, { ...callback, record: changed(callback.record) }, log)
  }

  return {
    async leaseDueCallbacks({ due_by, now, until, limit }) {
      const due: LeasedCallback[] = []
      for (const callback of pendingCallbacks.items) {
        const { callback_id, due_at = Infinity } = callback.record
        if (due.length >= limit || due_at > due_by) break
        if ((leases.get(callback_id) ?? 0) <= now && !isHeldUp(memory, callback))
          due.push({ ...callback.record, leased_until: until })
      }
      for (const { callback_id } of due) setLogged(leases, callback_id, until, log)
      return due
    },
    async recordAttempt({ callback_id, url, attempt, state, due_at }, { leased_until, resent_after }) {
      if (leases.get(callback_id) !== leased_until) return false
      deleteLogged(leases, callback_id, log)
      change(callback_id, ({ held: _, ...before }) => {
        const attempts = [...before.attempts, attempt]
        const isRequeued = before.resent_after !== resent_after
        return { ...before, url, attempts, ...(isRequeued ? { resent_after: attempts.length } : { state, due_at }) }
      })
      return true
    },
    async nextCallbackDue(after = Number.NEGATIVE_INFINITY) {
      const isNext = (callback: Waiting<SandboxCallback>) =>
        (callback.record.due_at ?? Infinity) > after && !isHeldUp(memory, callback)
      return pendingCallbacks.items.find(isNext)?.record.due_at
    },
    async limitRetries(now) {
      for (const { record } of pendingCallbacks.items.filter(isDueAfter(now))) {
        const { due_at = 0, attempts, resent_after = 0 } = record
        const since = attempts.length > resent_after ? (attempts.at(-1)?.at ?? due_at) : due_at
        if (record.held === undefined && !record.synthetic && since > now)
          change(record.callback_id, before => ({ ...before, due_at: due_at - (since - now) }))
      }
    },
    async bringForward(ms, after) {
      for (const { record } of pendingCallbacks.items.filter(isDueAfter(after)))
        change(record.callback_id, before => ({ ...before, due_at: (before.due_at ?? 0) - ms }))
      for (const { record, place } of memory.dueReports.items.filter(isDueAfter(after)))
        putReport(memory, { record: { ...record, due_at: record.due_at - ms }, place }, log)
    },
    async postponeCallback({ callback_id, due_at, held }, { leased_until, resent_after }) {
      if (leases.get(callback_id) !== leased_until) return
      deleteLogged(leases, callback_id, log)
      change(callback_id, before => (before.resent_after === resent_after ? { ...before, due_at, held } : before))
    },
    async releaseReordered(leadId, due_at) {
      for (const id of memory.callbacksOfLead.get(leadId) ?? [])
        if (isReordered(memory.callbacks.get(id)?.record)) change(id, before => ({ ...before, due_at }))
    },
    async requeueCallback(callbackId, due_at) {
      const running = leases.has(callbackId) ? 1 : 0
      change(callbackId, ({ held: _, ...before }) => ({
        ...before,
        state: 'pending',
        due_at,
        resent_after: before.attempts.length + running,
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

/** Returns true if an older callback of the same lead goes first. */
function isHeldUp({ callbacks, callbacksOfLead }: TenantMemory, { record, place }: Waiting<SandboxCallback>): boolean {
  const goesFirst = (id: string) => {
    const other = callbacks.get(id)
    if (other === undefined || other.place >= place) return false
    return other.record.state === 'pending' && isInOrder(other.record)
  }
  return isInOrder(record) && (callbacksOfLead.get(record.lead_id) ?? []).some(goesFirst)
}

const isInOrder = ({ held, synthetic }: SandboxCallback) => held !== 'reorder' && !synthetic

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
