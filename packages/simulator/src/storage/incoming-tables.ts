import { appendRequests } from './queries.ts'
import type {
  CallBodies,
  InboxEntry,
  NumberedInboxEntry,
  RejectionEntry,
  RejectionRecord,
  RequestEntry,
  RequestRecord,
} from './records.ts'
import {
  bodies,
  coverage,
  inbox,
  type RejectionBatch,
  type RequestBatch,
  rejections,
  requests,
  type TableContext,
} from './tables.ts'

/** Methods on the inbox, the journal and the coverage. */
export const incomingTables = {
  /** Adds an entry. Its number is the newest plus one, or 1. */
  async addInboxEntry(entry: InboxEntry): Promise<void> {
    await this.db.lock('inbox')
    this.db.insert(inbox, { number: (await newestInboxNumber(this)) + 1, ...entry })
  },
  /** Lists inbox entries with a number below `before`, newest first. */
  async listInbox({ before, limit }: { before?: number | undefined; limit: number }): Promise<NumberedInboxEntry[]> {
    return this.db.scan(inbox, 'key', {
      before: before === undefined ? undefined : [before],
      order: 'descending',
      limit,
    })
  },
  /** Removes the oldest inbox entries, so that the given number is left. */
  async trimInbox(keep: number): Promise<void> {
    this.db.remove(inbox, 'key', { through: [(await newestInboxNumber(this)) - keep] })
  },

  /** Adds requests to the journal, in the order of their numbers, all above the existing ones. */
  async addRequests(records: readonly RequestRecord[]): Promise<void> {
    const [first, last] = [records[0]?.number, records.at(-1)?.number]
    if (first !== undefined && last !== undefined) this.db.insert(requests, { first, last, entries: records })
  },
  /**
   * Appends requests with the next numbers, at least `from`. Resolves before the number is known: call the returned
   * function after the commit to get the first number.
   */
  async appendRequests(
    entries: readonly RequestEntry[],
    from: number,
    bodiesOf?: readonly (CallBodies | null)[],
    rejectionsOf?: readonly (RejectionEntry | null)[],
  ): Promise<() => Promise<number>> {
    if (entries.length === 0) return async () => from
    const kept = bodiesOf?.some(each => each !== null) ? bodiesOf : undefined
    const rejected = rejectionsOf?.some(each => each !== null) ? rejectionsOf : undefined
    if (this.db.shared) await this.db.lock('journal')
    const appended = this.db.query(appendRequests, { entries, from, bodies: kept, rejections: rejected })
    // The transaction reports the failure.
    appended.catch(() => undefined)
    return async () => (await appended)[0]?.first ?? from
  },
  /**
   * Returns true if exactly these requests were appended at or after a number. Tells if a transaction with an unknown
   * outcome was committed.
   */
  async hasAppended(entries: readonly RequestEntry[], from: number): Promise<boolean> {
    await this.db.lock('journal')
    const text = JSON.stringify(entries)
    const since = await this.db.scan(requests, 'key', { from: [from] })
    return since.some(batch => JSON.stringify(batch.entries) === text)
  },
  /**
   * Reads requests with a number below `before`, newest first: about as many as wanted, and none only if there are no
   * more.
   */
  async readRequests(before = Number.MAX_SAFE_INTEGER, wanted = 1): Promise<RequestRecord[]> {
    const newest = { order: 'descending', limit: 1 } as const
    const isWhole = before === Number.MAX_SAFE_INTEGER
    const batches = await this.db.scan(requests, 'key', isWhole ? newest : { from: [before - 1], limit: 1 })
    const found = batches.flatMap(recordsOf).filter(({ number }) => number < before)
    const next = found.at(-1)?.number ?? before
    if (found.length < wanted) {
      const nearby = { before: [next], from: [next - wanted + found.length], order: 'descending' } as const
      found.push(...(await this.db.scan(requests, 'key', nearby)).flatMap(recordsOf))
    }
    // Numbers may have gaps.
    if (found.length === 0)
      found.push(...(await this.db.scan(requests, 'key', { before: [next], ...newest })).flatMap(recordsOf))
    return found
  },
  /** Finds the oldest request with at least this number. */
  async findOldestRequest(from: number): Promise<RequestRecord | undefined> {
    const [batch] = await this.db.scan(requests, 'key', { from: [from], limit: 1 })
    return batch && recordsOf(batch).findLast(({ number }) => number >= from)
  },
  /** Adds the rejection of an existing request. */
  async addRejection({ number, ...rejection }: RejectionRecord): Promise<void> {
    this.db.insert(rejections, { first: number, last: number, rejections: [rejection] })
  },
  /** Reads the rejections of requests with a number below `before`, newest first: at least `wanted`, if available. */
  async readRejections(before = Number.MAX_SAFE_INTEGER, wanted = 1): Promise<RejectionRecord[]> {
    // The batch that contains the bound may also have some below it.
    const upTo = await this.db.scan(rejections, 'key', { from: [before], limit: 1 })
    const below = await this.db.scan(rejections, 'key', { before: [before], order: 'descending', limit: wanted })
    return [...upTo, ...below].flatMap(rejectionsOf).filter(({ number }) => number < before)
  },
  /** Removes requests below a number, with their rejections and bodies. Removes only whole batches, so a few may stay. */
  async trimRequests(below: number): Promise<void> {
    this.db.remove(requests, 'key', { before: [below] })
    this.db.remove(rejections, 'key', { before: [below] })
    this.db.remove(bodies, 'key', { before: [below] })
  },
  /** Reads a request's bodies; undefined if they are not stored. */
  async readBodies(number: number): Promise<CallBodies | undefined> {
    const [batch] = await this.db.scan(bodies, 'key', { from: [number], limit: 1 })
    return batch?.bodies[number - batch.first] ?? undefined
  },
  /** Removes the bodies of requests below a number. Removes only whole batches, so a few may stay. */
  async trimBodies(below: number): Promise<void> {
    this.db.remove(bodies, 'key', { before: [below] })
  },

  /** Adds counts to the coverage, by `kind/name`. */
  async addCoverage(counts: Readonly<Record<string, number>>): Promise<void> {
    // In a fixed order, to avoid deadlocks between processes.
    for (const [name, count] of Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)))
      this.db.add(coverage, { name, count }, 'count')
  },
  async readCoverage(): Promise<Record<string, number>> {
    const all = await this.db.scan(coverage, 'key', {})
    return Object.fromEntries(all.map(({ name, count }) => [name, count]))
  },
} satisfies ThisType<TableContext> & object

async function newestInboxNumber({ db }: TableContext): Promise<number> {
  return (await db.columns(inbox, 'key', { order: 'descending', limit: 1 }))[0]?.number ?? 0
}

/** Returns a batch's requests, newest first. */
export function recordsOf({ first, entries }: RequestBatch): RequestRecord[] {
  return entries.map((entry, index) => ({ number: first + index, ...entry })).reverse()
}

/** Returns a batch's rejections, newest first. */
function rejectionsOf({ first, rejections }: RejectionBatch): RejectionRecord[] {
  return rejections.flatMap((entry, index) => (entry ? { number: first + index, ...entry } : [])).reverse()
}
