import type { EventRecord, LeadRecord, Storage } from '@lead-distribution/engine'
import type { ListedCustomer } from '../storage/filters.ts'
import type {
  InboxEntry,
  RequestRecord,
  SandboxCallback,
  ScheduledReport,
  TenantDocuments,
} from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-storage.ts'

/** All that is stored of a tenant besides its record, each list oldest first. */
export interface SnapshotContent {
  customers: ListedCustomer[]
  leads: WholeLead[]
  reports: ScheduledReport[]
  /** How many scenarios of each chain were applied. */
  chains: Record<string, number>
  inbox: InboxEntry[]
  requests: RequestRecord[]
  documents: Partial<TenantDocuments>
}

/** A lead with what belongs to it. */
type WholeLead = LeadRecord & {
  events: Omit<EventRecord, 'lead_id'>[]
  callbacks: Omit<SandboxCallback, 'lead_id'>[]
}

/** How many records are read or written in one transaction. */
const batch = 64

/** How many reports, chains and inbox entries a file has at most. */
const mostOthers = 100_000

/** Reads all that is stored; undefined where it is more than so many characters of JSON. */
export async function readContent(
  storage: Storage<SandboxTables>,
  maxCharacters: number,
): Promise<SnapshotContent | undefined> {
  let characters = 0
  const take = <Item>(items: Item[]): Item[] => {
    characters += JSON.stringify(items).length
    return items
  }
  const hasRoom = () => characters <= maxCharacters
  const pages = async <Item>(read: (tables: SandboxTables, last: Item | undefined) => Promise<Item[]>) => {
    const all: Item[] = []
    for (let found: Item[] | undefined; hasRoom() && found?.length !== 0; all.push(...found))
      found = take(await storage.transact(tables => read(tables, all.at(-1))))
    return all
  }
  const customers = await pages((tables, last: ListedCustomer | undefined) => tables.listCustomers(batch, last))
  const leads = await pages((tables, last: WholeLead | undefined) => readLeads(tables, last?.lead_id))
  const requests = await pages((tables, last: RequestRecord | undefined) => tables.readRequests(last?.number))
  const others = await storage.transact(async tables => ({
    reports: take(await tables.listDueReports(Number.MAX_SAFE_INTEGER, mostOthers)),
    chains: Object.fromEntries(take(await tables.listChains(mostOthers))),
    inbox: take(await tables.listInbox({ limit: mostOthers })).map(({ number: _, ...entry }) => entry),
    documents: await tables.readDocuments(),
  }))
  if (!hasRoom()) return undefined
  return {
    ...others,
    customers,
    ...{ leads: leads.reverse(), inbox: others.inbox.reverse(), requests: requests.reverse() },
  }
}

/** Leads that are older than one, newest first, each with what belongs to it. */
async function readLeads(tables: SandboxTables, before: string | undefined): Promise<WholeLead[]> {
  const leads: WholeLead[] = []
  for (const lead of await tables.listLeads({ before, limit: batch })) {
    const events = (await tables.listEvents(lead.lead_id)).map(({ lead_id: _, ...event }) => event)
    const callbacks = (await tables.listCallbacks(lead.lead_id)).map(({ lead_id: _, ...callback }) => callback)
    leads.push({ ...lead, events, callbacks })
  }
  return leads
}

/** Writes the content of a file to a storage that has none. */
export async function writeContent(storage: Storage<SandboxTables>, file: SnapshotContent): Promise<void> {
  const inBatches = async <Item>(
    items: readonly Item[],
    write: (tables: SandboxTables, item: Item) => Promise<unknown>,
  ) => {
    for (let from = 0; from < items.length; from += batch)
      await storage.transact(async tables => {
        for (const item of items.slice(from, from + batch)) await write(tables, item)
      })
  }
  await inBatches(file.customers, async (tables, { product_id, email, lead_id, refused_at }) => {
    if (refused_at !== undefined) await tables.markRefused(product_id, email, refused_at)
    if (lead_id !== undefined) await tables.claimCustomer(product_id, email, lead_id)
  })
  await inBatches(file.leads, async (tables, { events, callbacks, ...lead }) => {
    await tables.addLead(lead)
    for (const event of events) await tables.claimEvent({ ...event, lead_id: lead.lead_id })
    for (const callback of callbacks) await tables.addCallback({ ...callback, lead_id: lead.lead_id })
  })
  await inBatches(file.reports, (tables, report) => tables.addReport(report))
  await inBatches(Object.entries(file.chains), (tables, [key, applied]) => tables.setChain(key, applied))
  await inBatches(file.inbox, (tables, entry) => tables.addInboxEntry(entry))
  const numbered = file.requests.toSorted((one, other) => one.number - other.number)
  const written = Object.entries(file.documents) as [keyof TenantDocuments, never][]
  await storage.transact(async tables => {
    await tables.addRequests(numbered)
    for (const [name, value] of written) await tables.writeDocument(name, value)
  })
}
