import type { AttemptOutcome, Reading, Storage } from '@lead-distribution/engine'
import type { CallBodies, RequestEntry, RequestRecord, SandboxCallback } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-storage.ts'
import type { Timer } from '../time/clock.ts'
import { joined } from '../time/locks.ts'
import { coverageKey, coveredBy, sumOfCounts } from './coverage.ts'
import type { Metrics } from './metrics.ts'

/** A filter of requests. */
export interface RequestFilter {
  readonly operation?: string | undefined
  /** A status or a class of them: `422`, `4xx`; or how a response was lost: `cut`, `withheld`. */
  readonly status?: string | undefined
  readonly lead_id?: string | undefined
  /** Only requests of a lower number. */
  readonly before?: number | undefined
  readonly limit: number
}

/** The requests of a tenant, and the decisions on them. */
export interface Journal {
  /**
   * Adds a request. It is written a moment later, together with its neighbors; where processes share the journal, at once,
   * and what it returns resolves when each of them can read it. `bodies` is called if the tenant keeps bodies.
   */
  add(request: RequestEntry, bodies: () => CallBodies): Promise<void> | undefined
  /** Counts items other than requests, as `kind/name`; written a moment later. */
  cover(name: string): void
  read(filter: RequestFilter): Promise<RequestRecord[]>
  /** Returns the bodies of a request; undefined if they are not kept. */
  readBodies(number: number): Promise<CallBodies | undefined>
  /** Writes the added entries. */
  flush(): Promise<void>
  /** Drops unwritten entries, and continues numbering from `newest`. */
  restore(newest: number): void
  /** The number of times each outcome, reason, error and event was seen. */
  coverage(): Promise<Readonly<Record<string, number>>>
}

/** The parts that a journal works with. */
export interface JournalOptions {
  readonly storage: Storage<SandboxTables>
  readonly timer: Timer
  /** The number of requests that are kept. */
  readonly limit: number
  /** The number of the newest stored request; 0 if there is none. */
  readonly newest: number
  /** True if processes share the journal. */
  readonly isShared: boolean
  /** Returns true if the tenant keeps the bodies of its calls. */
  readonly keepsBodies: () => boolean
  readonly onError: (error: unknown) => void
}

/**
 * The size of a batch of requests that are written together, and the time that one waits for others, milliseconds of real
 * time. A killed process loses at most that much of its journal. A write for each would cost the busiest endpoint a tenth
 * of its rate.
 */
const batchSize = 256
const batchMs = 100

/** The number of the newest requests whose bodies are kept. */
const keptBodies = 200

/** The number of requests after which old ones are removed: for each request, that would cost as much as writing it. */
const trimEvery = 64

/** Leaves out the bodies of a batch that would be removed at once. */
function newestOf(bodies: readonly (CallBodies | null)[]): readonly (CallBodies | null)[] {
  const surplus = bodies.length - keptBodies
  return surplus > 0 ? bodies.map((each, index) => (index < surplus ? null : each)) : bodies
}

/** The journal of a tenant over its storage. */
export function createJournal(options: JournalOptions): Journal {
  const { storage, timer, limit, onError, isShared, keepsBodies } = options
  let { newest } = options
  let unwritten: RequestEntry[] = []
  /** Those of the unwritten requests, in their order. */
  let bodies: (CallBodies | null)[] = []
  /** False once the tenant keeps no bodies, and those that it had are removed. */
  let mayHaveBodies = true
  /** The newest request when what is too old was removed last. */
  let trimmedAt = 0
  /** The counts that are not written yet. */
  let counts: Record<string, number> = {}
  let waiting = false

  /** Writes a batch. Entries that are added meanwhile are the next one. */
  const flush = joined(async () => {
    const [batch, seen, kept] = [unwritten, counts, bodies]
    if (batch.length === 0 && Object.keys(seen).length === 0) return
    unwritten = []
    bodies = []
    counts = {}
    try {
      const from = newest + 1
      newest = from + batch.length - 1
      const below = newest - limit + 1
      const keeps = keepsBodies()
      const bodiesBelow = keeps ? newest - keptBodies + 1 : from
      const trims = newest - trimmedAt >= trimEvery
      const trimsBodies = mayHaveBodies && (trims || !keeps)
      const first = await storage.transact(async tables => {
        if (trims) await tables.trimRequests(below)
        if (trimsBodies) await tables.trimBodies(bodiesBelow)
        await tables.addCoverage(seen)
        return tables.appendRequests(batch, from, keeps ? newestOf(kept) : undefined)
      })
      mayHaveBodies = keeps
      if (trims) trimmedAt = newest
      newest = Math.max(newest, (await first()) + batch.length - 1)
    } catch (error) {
      // A call that was answered stays answered, even if its entry is lost; the counts are written with the next ones.
      counts = sumOfCounts([counts, seen])
      onError(error)
    }
  })

  function flushSoon(): void {
    if (waiting) return
    waiting = true
    timer.after(batchMs, () => {
      waiting = false
      void flush()
    })
  }

  /** A call that was answered stays answered, even if its bodies cannot be masked. */
  function tryBodies(bodiesOf: () => CallBodies): CallBodies | null {
    try {
      return bodiesOf()
    } catch (error) {
      onError(error)
      return null
    }
  }

  function cover(name: string): void {
    counts[name] = (counts[name] ?? 0) + 1
    flushSoon()
  }

  return {
    cover,
    add(request, bodiesOf) {
      unwritten.push(request)
      bodies.push(keepsBodies() ? tryBodies(bodiesOf) : null)
      for (const name of coveredBy(request)) cover(name)
      if (isShared) return flush()
      if (unwritten.length >= batchSize) void flush()
      flushSoon()
      return undefined
    },
    async read({ before, limit: wanted, ...filter }) {
      await flush()
      return storage.read(async tables => {
        const oldest = (await newestNumber(tables)) - limit
        return readMatching(tables, before, oldest, wanted, filter)
      })
    },
    async readBodies(number) {
      await flush()
      if (!keepsBodies()) return undefined
      return storage.read(async tables => {
        const oldest = (await newestNumber(tables)) - keptBodies
        return number > oldest ? tables.readBodies(number) : undefined
      })
    },
    flush,
    restore(number) {
      newest = number
      mayHaveBodies = true
      trimmedAt = 0
      unwritten = []
      bodies = []
      counts = {}
    },
    async coverage() {
      await flush()
      return storage.read(tables => tables.readCoverage())
    },
  }
}

/** The number of the newest stored request; 0 if there is none. */
async function newestNumber(tables: Reading<SandboxTables>): Promise<number> {
  return (await tables.readRequests())[0]?.number ?? 0
}

async function readMatching(
  tables: Reading<SandboxTables>,
  before: number | undefined,
  oldest: number,
  wanted: number,
  filter: Omit<RequestFilter, 'before' | 'limit'>,
): Promise<RequestRecord[]> {
  const found: RequestRecord[] = []
  for (let upTo = before; ; ) {
    const batch = await tables.readRequests(upTo, wanted)
    for (const request of batch) {
      if (request.number <= oldest || found.length === wanted) return found
      if (matches(request, filter)) found.push(request)
    }
    const last = batch.at(-1)
    if (!last || found.length === wanted) return found
    upTo = last.number
  }
}

function matches(request: RequestRecord, { operation, status, lead_id }: Omit<RequestFilter, 'before' | 'limit'>) {
  if (operation !== undefined && request.operation !== operation) return false
  if (lead_id !== undefined && request.lead_id !== lead_id) return false
  return status === undefined || request.broken === status || statusMatches(request.status, status)
}

/** Returns true if a status is that of a filter, or in its class, such as `4xx`. */
function statusMatches(status: number, filter: string): boolean {
  const text = String(status)
  return filter === (filter.endsWith('xx') ? text.replace(/..$/, 'xx') : text)
}

/** Counts the attempts of callbacks, for the metrics and the coverage. */
export function countAttempts(metrics: Metrics, journal: Journal) {
  return ({ state }: AttemptOutcome, { attempts }: SandboxCallback) => {
    metrics.callbackTry(state === 'delivered' ? 'delivered' : 'failed')
    if (state !== 'pending') {
      metrics.callback(state)
      journal.cover(coverageKey('callback', state))
    }
    if (attempts.length > 0) journal.cover(coverageKey('callback', 'retried'))
  }
}
