import type { CallbackRecord, CustomerRecord, EventRecord, LeadRecord, Tables } from '@lead-distribution/engine'
import { setLogged, type UndoLog } from './undo-log.ts'

interface KeptCallback extends CallbackRecord {
  leased_until?: number
}

/** All that one tenant has, in memory. Insertion order is the order of adding. */
export interface TenantMemory {
  readonly customers: Map<string, CustomerRecord>
  readonly leads: Map<string, LeadRecord>
  readonly events: Map<string, EventRecord>
  readonly callbacks: Map<string, KeptCallback>
}

/** An empty tenant. */
export function createTenantMemory(): TenantMemory {
  return { customers: new Map(), leads: new Map(), events: new Map(), callbacks: new Map() }
}

/** The tables over a tenant's memory; each write can be taken back by the log. Nobody changes a record: it is replaced. */
export function memoryTables(memory: TenantMemory, log: UndoLog): Tables {
  const { customers, leads, events, callbacks } = memory
  /** The pending callbacks that no older one of the same lead holds up, in the order of adding. */
  const firstPending = () => {
    const firstOfLead = new Map<string, KeptCallback>()
    for (const callback of callbacks.values())
      if (callback.state === 'pending' && !firstOfLead.has(callback.lead_id))
        firstOfLead.set(callback.lead_id, callback)
    return [...firstOfLead.values()]
  }

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
    async claimEvent(event) {
      const key = `${event.lead_id} ${event.advertiser_id} ${event.event}`
      if (events.has(key)) return false
      setLogged(events, key, event, log)
      return true
    },
    async listEvents(leadId) {
      return [...events.values()].filter(({ lead_id }) => lead_id === leadId)
    },
    async addCallback(callback) {
      setLogged(callbacks, callback.callback_id, callback, log)
    },
    async listCallbacks(leadId) {
      return [...callbacks.values()].filter(({ lead_id }) => lead_id === leadId).map(withoutLease)
    },
    async leaseDueCallbacks({ due_by, now, until, limit }) {
      const due = firstPending()
        .filter(({ due_at = Infinity, leased_until = 0 }) => due_at <= due_by && leased_until <= now)
        .sort((a, b) => (a.due_at ?? 0) - (b.due_at ?? 0))
        .slice(0, limit)
      for (const callback of due) setLogged(callbacks, callback.callback_id, { ...callback, leased_until: until }, log)
      return due.map(withoutLease)
    },
    async recordAttempt({ callback_id, url, attempt, state, due_at }) {
      const callback = callbacks.get(callback_id)
      if (!callback) return
      const { leased_until: _, ...kept } = callback
      setLogged(callbacks, callback_id, { ...kept, url, attempts: [...kept.attempts, attempt], state, due_at }, log)
    },
    async nextCallbackDue() {
      return firstPending().reduce<number | undefined>(
        (next, { due_at }) => (due_at !== undefined && (next === undefined || due_at < next) ? due_at : next),
        undefined,
      )
    },
  }
}

function withoutLease({ leased_until: _, ...callback }: KeptCallback): CallbackRecord {
  return callback
}
