import type { EventRecord, LeadRecord, Reading, Storage } from '@lead-distribution/engine'
import type {
  InboxEntry,
  NumberedInboxEntry,
  RequestRecord,
  SandboxCallback,
  SandboxOfferResponse,
  ScheduledReport,
  TenantDocuments,
} from '../storage/records.ts'
import type { ListedCustomer, SandboxTables } from '../storage/sandbox-storage.ts'
import { nextTurn } from '../time/locks.ts'

/** All that is stored of a tenant besides its record, each list oldest first, addresses left out. */
export interface SnapshotContent {
  customers: ListedCustomer[]
  leads: WholeLead[]
  reports: ScheduledReport[]
  /** The number of scenarios of each chain that were applied. */
  chains: Record<string, number>
  inbox: InboxEntry[]
  requests: RequestRecord[]
  documents: Partial<TenantDocuments> & { coverage?: Record<string, number> | undefined }
}

export type WholeLead = Omit<LeadRecord, 'deliveries'> & {
  deliveries: Omit<SandboxOfferResponse, 'redirect_url'>[]
  events: Omit<EventRecord, 'lead_id'>[]
  callbacks: Omit<SandboxCallback, 'lead_id' | 'url'>[]
}

/** The addresses that a sandbox derives. */
export interface ContentLinks {
  /** Returns the address that a customer is redirected to. */
  redirect(leadId: string, advertiserId: string): string
  callback(leadId: string, callback: Pick<SandboxCallback, 'event' | 'synthetic'>): string
}

/** The number of records to read or write in one transaction. */
const batch = 64

/** The minimum number of characters of JSON that one transaction writes if there are more. */
const batchCharacters = 65_536

/** The maximum number of reports, and of chains, in a file: they are read at once. */
export const mostWaiting = 20_000

/** Reads all that is stored; undefined where it is more than so many characters of JSON. */
export async function readContent(
  storage: Pick<Storage<SandboxTables>, 'read'>,
  maxCharacters: number,
): Promise<SnapshotContent | undefined> {
  let characters = 0
  const take = <Item>(items: Item[]): Item[] => {
    characters += JSON.stringify(items).length
    return items
  }
  const hasRoom = () => characters <= maxCharacters
  const pages = async <Item>(read: (tables: Reading<SandboxTables>, last: Item | undefined) => Promise<Item[]>) => {
    const all: Item[] = []
    for (let found: Item[] | undefined; hasRoom() && found?.length !== 0; all.push(...found)) {
      await nextTurn()
      found = take(await storage.read(tables => read(tables, all.at(-1))))
    }
    return all
  }
  const customers = await pages((tables, last: ListedCustomer | undefined) => tables.listCustomers(batch, last))
  const leads = await pages((tables, last: WholeLead | undefined) => readLeads(tables, last?.lead_id))
  const requests = await pages((tables, last: RequestRecord | undefined) => tables.readRequests(last?.number, batch))
  const inbox = await pages((tables, last: NumberedInboxEntry | undefined) =>
    tables.listInbox({ before: last?.number, limit: batch }),
  )
  const others = await storage.read(async tables => ({
    reports: take(await tables.listDueReports(Number.MAX_SAFE_INTEGER, mostWaiting + 1)),
    chains: take(await tables.listChains(mostWaiting + 1)),
    documents: { ...(await readDocuments(tables)), coverage: await tables.readCoverage() },
  }))
  const { reports, chains, documents } = others
  if (!hasRoom() || reports.length > mostWaiting || chains.length > mostWaiting) return undefined
  return {
    customers,
    leads: leads.reverse(),
    reports,
    chains: Object.fromEntries(chains),
    inbox: inbox.reverse().map(({ number: _, ...entry }) => entry),
    requests: requests.reverse(),
    documents,
  }
}

/** The documents of a file; what is on its way through a listener is of no use there. */
async function readDocuments(tables: Reading<SandboxTables>): Promise<Partial<TenantDocuments>> {
  const { listener: _, ...documents } = await tables.readDocuments()
  return documents
}

/** Leads that are older than one, newest first, each with what belongs to it. */
async function readLeads(tables: Reading<SandboxTables>, before: string | undefined): Promise<WholeLead[]> {
  const leads = await tables.listLeads({ before, limit: batch })
  const [oldest, newest] = [leads.at(-1)?.lead_id, leads[0]?.lead_id]
  if (oldest === undefined) return []
  const events = Map.groupBy(await tables.listEvents(oldest, newest), ({ lead_id }) => lead_id)
  const callbacks = Map.groupBy(await tables.listCallbacks(oldest, newest), ({ lead_id }) => lead_id)
  return leads.map(lead => ({
    ...lead,
    deliveries: lead.deliveries.map(({ redirect_url: _, ...delivery }) => delivery),
    events: (events.get(lead.lead_id) ?? []).map(({ lead_id: _, ...event }) => event),
    callbacks: (callbacks.get(lead.lead_id) ?? []).map(({ lead_id: _, url: __, ...callback }) => callback),
  }))
}

/** Writes the content of a file to a storage that has none, in transactions that are short. */
export async function writeContent(
  storage: Pick<Storage<SandboxTables>, 'transact'>,
  content: SnapshotContent,
  links: ContentLinks,
): Promise<void> {
  let waiting: Write[] = []
  let characters = 0
  const flush = async () => {
    const writes = waiting
    waiting = []
    characters = 0
    await nextTurn()
    await storage.transact(async tables => {
      for (const { write } of writes) await write(tables)
    })
  }
  for (const write of writesOf(content, links)) {
    waiting.push(write)
    characters += write.characters
    if (waiting.length >= batch || characters >= batchCharacters) await flush()
  }
  await flush()
}

/** One row to write, and about how large it is. */
interface Write {
  readonly characters: number
  write(tables: SandboxTables): Promise<unknown>
}

/** A row of a size that hardly differs. */
const usualCharacters = 500

function* writesOf(content: SnapshotContent, links: ContentLinks): Generator<Write, void, void> {
  const row = (write: Write['write'], item?: unknown): Write => ({
    characters: item === undefined ? usualCharacters : JSON.stringify(item).length,
    write,
  })
  for (const { product_id, email, lead_id, refused_at } of content.customers)
    yield row(async tables => {
      if (refused_at !== undefined) await tables.markRefused(product_id, email, refused_at)
      if (lead_id !== undefined) await tables.claimCustomer(product_id, email, lead_id)
    })
  for (const { events, callbacks, ...lead } of content.leads) {
    const { lead_id } = lead
    const deliveries = lead.deliveries.map(delivery =>
      delivery.decision === 'accepted'
        ? { ...delivery, redirect_url: links.redirect(lead_id, delivery.advertiser_id) }
        : delivery,
    )
    yield row(tables => tables.addLead({ ...lead, deliveries }), lead)
    for (const event of events) yield row(tables => tables.claimEvent({ ...event, lead_id }))
    for (const callback of callbacks) {
      const url = links.callback(lead_id, callback)
      yield row(tables => tables.addCallback({ ...callback, lead_id, url }), callback.attempts)
    }
  }
  for (const report of content.reports) yield row(tables => tables.addReport(report))
  for (const [key, applied] of Object.entries(content.chains)) yield row(tables => tables.setChain(key, applied))
  for (const entry of content.inbox) yield row(tables => tables.addInboxEntry(entry), entry)
  for (let from = 0; from < content.requests.length; from += batch) {
    const requests = content.requests.slice(from, from + batch)
    yield row(tables => tables.addRequests(requests), requests)
  }
  const { coverage = {}, ...documents } = content.documents
  yield row(tables => tables.addCoverage(coverage))
  for (const [name, value] of Object.entries(documents) as [keyof TenantDocuments, never][])
    yield row(tables => tables.writeDocument(name, value), value)
}
