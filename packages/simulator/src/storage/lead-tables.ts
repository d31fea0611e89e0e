import type { SandboxTables } from '../ports/sandbox-tables.ts'
import { newestFirst } from './newest-first.ts'
import type { TenantMemory } from './tenant-memory.ts'
import { setLogged, type UndoLog } from './undo-log.ts'

/** The tables of customers, leads and events over a tenant's memory. */
export function memoryLeadTables({ customers, leads, events }: TenantMemory, log: UndoLog) {
  return {
    async findCustomer(productId, email) {
      return customers.get(`${productId} ${email}`)
    },
    async claimCustomer(productId, email, lead_id) {
      const key = `${productId} ${email}`
      const customer = customers.get(key)
      if (customer?.lead_id !== undefined) return false
      setLogged(customers, key, { ...customer, lead_id }, log)
      return true
    },
    async markRefused(productId, email, refused_at) {
      const key = `${productId} ${email}`
      setLogged(customers, key, { ...customers.get(key), refused_at }, log)
    },
    async addLead(lead) {
      setLogged(leads, lead.lead_id, lead, log)
    },
    async findLead(leadId) {
      return leads.get(leadId)
    },
    async listLeads({ status, email, ...page }) {
      return newestFirst(leads.keys(), page, id => {
        const lead = leads.get(id)
        if (status !== undefined && lead?.status !== status) return undefined
        return email === undefined || lead?.email === email ? lead : undefined
      })
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
