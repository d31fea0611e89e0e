import type {
  CallBodies,
  NumberedInboxEntry,
  RequestEntry,
  RequestRecord,
  SandboxTables,
} from '@lead-distribution/simulator'
import { insertion, nextNumbers, statement, type TableContext, type TenantKey } from './statement.ts'

/** A row of `requests`: all that were added together, because the journal is written on the hot path. */
interface RequestsRow extends TenantKey {
  /** The number of the first. */
  first: number
  /** The number of the last. */
  last: number
  /** A list of `RequestRecord` or `RequestEntry` as JSON, oldest first. */
  entries: string
  /** The bodies of each, a list of `CallBodies` or null as JSON; null if none are kept. */
  bodies: string | null
}

/** Statements for what came in: at the inbox, and at the service. */
export const incomingStatements = {
  /** An entry is a `NumberedInboxEntry` as JSON. */
  addInboxEntry: statement<TenantKey & { entry: string }>('insert into inbox (tenant, entry) values (:tenant, :entry)'),
  listInbox: statement<TenantKey & { skip: number; limit: number }, { entry: string }>(
    'select entry from inbox where tenant = :tenant order by seq desc limit :limit offset :skip',
  ),
  /** One is too many after each that is added: the bound has PostgreSQL look for few. */
  trimInbox: statement<TenantKey & { keep: number }>(
    `delete from inbox where tenant = :tenant and seq in (
       select old.seq from inbox as old where old.tenant = :tenant order by old.seq desc limit 100 offset :keep)`,
  ),
  addRequests: statement<Omit<RequestsRow, 'bodies'>>(
    'insert into requests (tenant, "first", "last", entries) values (:tenant, :first, :last, :entries)',
  ),
  /** Numbers what it adds, where many processes do. */
  appendRequests: statement<
    TenantKey & Pick<RequestsRow, 'entries' | 'bodies'> & { from: number; count: number },
    { first: number }
  >(
    `insert into requests (tenant, "first", "last", entries, bodies)
     values (:tenant, :from, :from + :count - 1, :entries, :bodies) returning "first"`,
    `with numbered as (${nextNumbers(`'requests'`)})
     insert into requests (tenant, "first", "last", entries, bodies, version)
     select :tenant, "first", "first" + :count - 1, :entries, :bodies, pg_current_xact_id() from numbered
     returning "first"`,
  ),
  findAppended: statement<TenantKey & { from: number; entries: string }, { first: number }>(
    'select "first" from requests where tenant = :tenant and "first" >= :from and entries = :entries',
  ),
  /** Rows of one request each, or of many: as many as it takes, by their numbers. */
  readRequests: statement<TenantKey & { before: number; wanted: number }, { first: number; entries: string }>(
    `select "first", entries from requests where tenant = :tenant and "first" < :before
       and "first" > (select max("first") from requests where tenant = :tenant and "first" < :before) - :wanted
     order by "first" desc`,
  ),
  /** Only whole rows: one with a number from `below` on stays. The condition on `first` lets the index serve. */
  trimRequests: statement<TenantKey & { below: number }>(
    'delete from requests where tenant = :tenant and "first" < :below and "last" < :below',
  ),
}

/** Statements for bodies, which stay for fewer requests: there is an index of the rows that have any. */
const bodyStatements = {
  read: statement<TenantKey & { number: number }, Pick<RequestsRow, 'first' | 'bodies'>>(
    `select "first", bodies from requests where tenant = :tenant and "first" <= :number
     order by "first" desc limit 1`,
  ),
  /** Only whole rows, as in `trimRequests`. */
  trim: statement<TenantKey & { below: number }>(
    `update requests set bodies = null
     where tenant = :tenant and bodies is not null and "first" < :below and "last" < :below`,
  ),
}

/** Only where processes share the database: a transaction that appends to the journal has the counter until it ends. */
const waitForAppended = statement<TenantKey, object>(
  `select from counters where tenant = :tenant and series = 'requests' for update`,
)

/** Only where processes share the database. Events are a list of `StreamEvent` as JSON. */
const addStreamEvents = insertion<{ events: string }>('insert into stream_events (events) values (:events)')

/** The number of the newest entry of the inbox; 0 where there is none. */
async function newestNumber({ db, tenant }: TableContext): Promise<number> {
  const row = await db.first(incomingStatements.listInbox, { tenant, skip: 0, limit: 1 })
  const newest: NumberedInboxEntry | undefined = row && JSON.parse(row.entry)
  return newest?.number ?? 0
}

/** The requests of a row, newest first. Those that were numbered by the database follow one another. */
export function requestsOf({ first, entries }: { first: number; entries: string }): RequestRecord[] {
  const batch: (RequestEntry & { number?: number })[] = JSON.parse(entries)
  return batch.map((entry, index) => ({ number: first + index, ...entry })).reverse()
}

/** One tenant's tables of the inbox and the journal. */
export const incomingTables = {
  async addInboxEntry(entry) {
    await this.db.turn?.(this.tenant)
    const number = (await newestNumber(this)) + 1
    await this.db.write(incomingStatements.addInboxEntry, {
      tenant: this.tenant,
      entry: JSON.stringify({ number, ...entry }),
    })
  },
  async listInbox({ before, limit }) {
    // Numbers have no gaps: only the oldest entries are ever removed.
    const skip = before === undefined ? 0 : Math.max(0, (await newestNumber(this)) - before + 1)
    const rows = await this.db.all(incomingStatements.listInbox, { tenant: this.tenant, skip, limit })
    return rows.map(({ entry }) => JSON.parse(entry))
  },
  async trimInbox(keep) {
    await this.db.write(incomingStatements.trimInbox, { tenant: this.tenant, keep })
  },
  async addRequests(requests) {
    const [first, last] = [requests[0]?.number, requests.at(-1)?.number]
    if (first === undefined || last === undefined) return
    const entries = JSON.stringify(requests)
    await this.db.write(incomingStatements.addRequests, { tenant: this.tenant, first, last, entries })
  },
  async appendRequests(entries, from, bodies) {
    if (entries.length === 0) return async () => from
    const row = {
      tenant: this.tenant,
      from,
      count: entries.length,
      entries: JSON.stringify(entries),
      bodies: bodies?.some(each => each !== null) ? JSON.stringify(bodies) : null,
    }
    const appended = await this.db.writeReturning(incomingStatements.appendRequests, row)
    return async () => (await appended())?.first ?? from
  },
  async hasAppended(requests, from) {
    await this.db.first(waitForAppended, { tenant: this.tenant })
    const row = { tenant: this.tenant, from, entries: JSON.stringify(requests) }
    return (await this.db.first(incomingStatements.findAppended, row)) !== undefined
  },
  async readRequests(before = Number.MAX_SAFE_INTEGER, wanted = 1) {
    const found = await this.db.all(incomingStatements.readRequests, { tenant: this.tenant, before, wanted })
    return found.flatMap(requestsOf).filter(({ number }) => number < before)
  },
  async trimRequests(below) {
    await this.db.write(incomingStatements.trimRequests, { tenant: this.tenant, below })
  },
  async readBodies(number) {
    const row = await this.db.first(bodyStatements.read, { tenant: this.tenant, number })
    if (!row || row.bodies === null) return undefined
    const bodies: (CallBodies | null)[] = JSON.parse(row.bodies)
    return bodies[number - row.first] ?? undefined
  },
  async trimBodies(below) {
    await this.db.write(bodyStatements.trim, { tenant: this.tenant, below })
  },
  async addStreamEvents(events) {
    await this.db.write(addStreamEvents, { events: JSON.stringify(events) })
  },
} satisfies Partial<SandboxTables> & ThisType<TableContext>
