import type { CustomerRecord, LeadRecord } from '@lead-distribution/engine'
import { withAnswer } from './deliveries.ts'
import type { LeadSearch } from './filters.ts'
import type { SandboxTables } from './sandbox-storage.ts'
import { newestFirst, type TenantMemory } from './tenant-memory.ts'
import { setLogged, type UndoLog } from './undo-log.ts'

/** The tables of customers, leads and events in a tenant's memory. */
export function memoryLeadTables(
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
    async recordBackendAnswer(leadId, advertiserId, answer) {
      const lead = leads.get(leadId)
      if (lead)
        setLogged(leads, leadId, { ...lead, deliveries: withAnswer(lead.deliveries, advertiserId, answer) }, log)
    },
    async claimEvent(event) {
      const known = events.get(event.lead_id) ?? []
      if (known.some(one => one.event === event.event && one.advertiser_id === event.advertiser_id)) return false
      setLogged(events, event.lead_id, [...known, event], log)
      return true
    },
    async listEvents(leadId) {
      return [...(events.get(leadId) ?? [])]
    },
  } satisfies Partial<SandboxTables>
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
