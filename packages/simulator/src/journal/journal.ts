import type { AttemptOutcome, Reading, Storage } from '@lead-distribution/engine'
import type { RequestEntry, RequestRecord, SandboxCallback } from '../storage/records.ts'
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
   * and what it returns resolves when each of them can read it.
   */
  add(request: RequestEntry): Promise<void> | undefined
  /** Counts items other than requests, as `kind/name`; written a moment later. */
  cover(name: string): void
  read(filter: RequestFilter): Promise<RequestRecord[]>
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
  readonly onError: (error: unknown) => void
}

/**
 * The size of a batch of requests that are written together, and the time that one waits for others, milliseconds of real
 * time. A killed process loses at most that much of its journal. A write for each would cost the busiest endpoint a tenth
 * of its rate.
 */
const batchSize = 256
const batchMs = 100

/** The journal of a tenant over its storage. */
export function createJournal({ storage, timer, limit, onError, isShared, ...stored }: JournalOptions): Journal {
  let { newest } = stored
  let unwritten: RequestEntry[] = []
  /** The counts that are not written yet. */
  let counts: Record<string, number> = {}
  let waiting = false

  /** Writes a batch. Entries that are added meanwhile are the next one. */
  const flush = joined(async () => {
    const [batch, seen] = [unwritten, counts]
    if (batch.length === 0 && Object.keys(seen).length === 0) return
    unwritten = []
    counts = {}
    try {
      const from = newest + 1
      newest = from + batch.length - 1
      const below = newest - limit + 1
      const first = await storage.transact(async tables => {
        if (below > 1) await tables.trimRequests(below)
        await tables.addCoverage(seen)
        return tables.appendRequests(batch, from)
      })
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

  function cover(name: string): void {
    counts[name] = (counts[name] ?? 0) + 1
    flushSoon()
  }

  return {
    cover,
    add(request) {
      unwritten.push(request)
      for (const name of coveredBy(request)) cover(name)
      if (isShared) return flush()
      if (unwritten.length >= batchSize) void flush()
      flushSoon()
      return undefined
    },
    async read({ before, limit: wanted, ...filter }) {
      await flush()
      return storage.read(async tables => {
        const oldest = ((await tables.readRequests())[0]?.number ?? 0) - limit
        return readMatching(tables, before, oldest, wanted, filter)
      })
    },
    flush,
    restore(number) {
      newest = number
      unwritten = []
      counts = {}
    },
    async coverage() {
      await flush()
      return storage.read(tables => tables.readCoverage())
    },
  }
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
