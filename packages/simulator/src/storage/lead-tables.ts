import type { CustomerRecord, EventRecord, LeadRecord } from '@lead-distribution/engine'
import { countLeads, type LeadCount, type LeadSearch, olderThan, type RecentCount, searchLeads } from './queries.ts'
import { type BackendResponse, type NewestIds, withResponse } from './records.ts'
import { callbacks, customers, events, leads, reports, type StoredCustomer, type TableContext } from './tables.ts'

/** Filters leads, newest first. */
export interface LeadFilter {
  readonly status?: LeadRecord['status'] | undefined
  /** In lower case. Finds both the leads that claimed the address and those that were rejected. */
  readonly email?: string | undefined
  /** Only leads that are older than this one. */
  readonly before?: string | undefined
  readonly limit: number
}

/** The leads found, and the lead to continue before; undefined if there are no more. */
export interface FoundLeads {
  readonly leads: readonly LeadRecord[]
  readonly next: string | undefined
}

/** Methods on customers, leads and events. */
export const leadTables = {
  async findCustomer(product_id: string, email: string): Promise<CustomerRecord | undefined> {
    // Serialized, so that the next submission of this address sees the result of this one.
    await this.db.lock(`customer ${product_id} ${email}`)
    const customer = await this.db.get(customers, [email, product_id])
    this.locked = { email, product_id, ...customer }
    return customer && recordOf(customer)
  },
  async claimCustomer(product_id: string, email: string, lead_id: string): Promise<boolean> {
    const customer = await lockedCustomer(this, product_id, email)
    if (customer.lead_id !== undefined) return false
    this.db.put(customers, { ...customer, lead_id })
    this.locked = undefined
    return true
  },
  async markRefused(product_id: string, email: string, refused_at: number): Promise<void> {
    this.db.put(customers, { ...(await lockedCustomer(this, product_id, email)), refused_at })
    this.locked = undefined
  },
  /** Lists customers by address and product, starting after a given one. */
  async listCustomers(limit: number, after?: Pick<StoredCustomer, 'email' | 'product_id'>): Promise<StoredCustomer[]> {
    return this.db.scan(customers, 'key', { after: after && [after.email, after.product_id], limit })
  },
  async addLead(lead: LeadRecord): Promise<void> {
    this.db.insert(leads, lead)
  },
  async findLead(leadId: string): Promise<LeadRecord | undefined> {
    return this.db.get(leads, [leadId])
  },
  /** Adds an advertiser's back-end response to the lead's delivery, if the lead exists. */
  async recordBackendResponse(leadId: string, advertiserId: string, response: BackendResponse): Promise<void> {
    const lead = await this.db.get(leads, [leadId], { lock: true })
    if (!lead) return
    this.db.put(leads, { ...lead, deliveries: withResponse(lead.deliveries, advertiserId, response) })
  },
  /** Reads the newest ids, after which numbering continues when the tenant is reopened. */
  async newestIds(): Promise<NewestIds> {
    const [lead] = await this.db.columns(leads, 'key', { order: 'descending', limit: 1 })
    const [callback] = await this.db.columns(callbacks, 'key', { order: 'descending', limit: 1 })
    return { lead_id: lead?.lead_id, callback_id: callback?.callback_id }
  },
  async listLeads({ status, email, before, limit }: LeadFilter): Promise<LeadRecord[]> {
    const page = { ...olderThan(before), order: 'descending', limit } as const
    if (email !== undefined) return leadsOfEmail(this, email, { status, before, limit })
    if (status !== undefined) return this.db.scan(leads, 'byStatus', { of: [status], ...page })
    return this.db.scan(leads, 'key', page)
  },
  async searchLeads(search: LeadSearch): Promise<FoundLeads> {
    const found = await this.db.query(searchLeads, search)
    return { leads: found.flatMap(({ lead }) => lead ?? []), next: found.at(-1)?.last }
  },
  /** Counts the leads received since a time, by time span, status and reason. Reads only the newest rows. */
  async countLeads(count: RecentCount & { readonly span: number }): Promise<LeadCount[]> {
    return this.db.query(countLeads, count)
  },
  async claimEvent(event: EventRecord): Promise<boolean> {
    return this.db.claim(events, event)
  },
  /** Lists the events of a lead, or of a range of leads, in recording order within each lead. */
  async listEvents(leadId: string, through = leadId): Promise<EventRecord[]> {
    return this.db.scan(events, 'byLead', { from: [leadId], through: [through] })
  },
  /**
   * Removes the oldest leads and their related records, through the given lead and up to `limit`. Resolves to the count.
   */
  async removeLeads(through: string, limit: number): Promise<number> {
    const old = await this.db.scan(leads, 'key', { through: [through], limit })
    for (const { lead_id, product_id, email, received_at } of old) {
      // Locked, because a submission may be claiming the address.
      const customer = await lockedCustomer(this, product_id, email)
      const isOld = customer.lead_id === undefined && (customer.refused_at ?? Infinity) <= received_at
      if (customer.lead_id === lead_id || isOld) this.db.remove(customers, 'key', { of: [email, product_id] })
      this.db.remove(events, 'byLead', { of: [lead_id] })
      this.db.remove(callbacks, 'byLead', { of: [lead_id] })
      // Report ids begin with the lead's id and `/`; the next character after `/` is `0`.
      this.db.remove(reports, 'key', { after: [`${lead_id}/`], before: [`${lead_id}0`] })
      this.db.remove(leads, 'key', { of: [lead_id] })
    }
    return old.length
  },
} satisfies ThisType<TableContext> & object

/** Returns the customer, locked by this transaction. */
async function lockedCustomer(context: TableContext, product_id: string, email: string): Promise<StoredCustomer> {
  const { locked } = context
  if (locked?.email === email && locked.product_id === product_id) return locked
  await context.db.lock(`customer ${product_id} ${email}`)
  return (await context.db.get(customers, [email, product_id])) ?? { email, product_id }
}

function recordOf({ lead_id, refused_at }: StoredCustomer): CustomerRecord {
  return { ...(lead_id !== undefined && { lead_id }), ...(refused_at !== undefined && { refused_at }) }
}

/** An address has few claims, one per product, but any number of rejected leads. */
async function leadsOfEmail({ db }: TableContext, email: string, { status, before, limit }: LeadFilter) {
  const rejected = await db.scan(leads, 'rejected', {
    of: [email],
    ...olderThan(before),
    order: 'descending',
    limit,
  })
  const claims = await db.scan(customers, 'key', { of: [email] })
  const claimed: LeadRecord[] = []
  for (const { lead_id } of claims) {
    const lead = lead_id === undefined ? undefined : await db.get(leads, [lead_id])
    if (lead && lead.status !== 'rejected' && (before === undefined || lead.lead_id < before)) claimed.push(lead)
  }
  return [...rejected, ...claimed]
    .filter(lead => status === undefined || lead.status === status)
    .sort((a, b) => (a.lead_id < b.lead_id ? 1 : -1))
    .slice(0, limit)
}
