import type { AttemptOutcome, Storage } from '@lead-distribution/engine'
import type { RequestRecord, SandboxCallback } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-storage.ts'
import type { Timer } from '../time/clock.ts'
import { createSerialQueue } from '../time/locks.ts'
import { coverageKey, coveredBy, sumOfCounts } from './coverage.ts'
import type { Metrics } from './metrics.ts'

/** Which requests are wanted, newest first. */
export interface RequestFilter {
  readonly operation?: string | undefined
  /** A status or a class of them: `422`, `4xx`; or how a response was lost: `cut`, `withheld`. */
  readonly status?: string | undefined
  readonly lead_id?: string | undefined
  /** Only requests of a lower number. */
  readonly before?: number | undefined
  readonly limit: number
}

/** A request that was answered, before the journal numbers it. */
export type RequestEntry = Omit<RequestRecord, 'number'>

/** The calls of a tenant, and what was decided on them. */
export interface Journal {
  /** Adds a request. It is written a moment later, together with its neighbours. */
  add(request: RequestEntry): void
  /** Counts what was seen besides requests, as `kind/name`; written a moment later too. */
  cover(name: string): void
  read(filter: RequestFilter): Promise<RequestRecord[]>
  /** Writes what was added. */
  flush(): Promise<void>
  /** Writes what was added, by whichever process. */
  flushAll(): Promise<void>
  /** Drops what is not written yet, and numbers on from `newest`. */
  restore(newest: number): void
  /** How often each outcome, reason, error and event was seen. */
  coverage(): Promise<Readonly<Record<string, number>>>
}

interface JournalSharing {
  reserve(series: 'requests', from: number, count: number): Promise<number>
  settleElsewhere(): Promise<void>
}

/** What a journal works on. */
export interface JournalOptions {
  readonly storage: Storage<SandboxTables>
  readonly timer: Timer
  /** How many requests are kept. */
  readonly limit: number
  /** The number of the newest request that is stored; 0 where there is none. */
  readonly newest: number
  /** Where processes share the journal: reserves numbers, at least `from`, and has the others write what they added. */
  readonly shared?: JournalSharing | undefined
  readonly onError: (error: unknown) => void
}

/**
 * How many requests are written at once, and how long one waits for others, milliseconds of real time. A process that
 * is killed loses no more than that of its journal; a write for each would cost the busiest endpoint a tenth of its rate.
 */
const batchSize = 256
const batchMs = 100

/** The journal of a tenant over its storage. */
export function createJournal({ storage, timer, limit, onError, shared, ...stored }: JournalOptions): Journal {
  let { newest } = stored
  let unwritten: RequestEntry[] = []
  /** What was seen and is not written yet. */
  let counts: Record<string, number> = {}
  let waiting = false
  const inTurn = createSerialQueue()

  function flush(): Promise<void> {
    const [batch, seen] = [unwritten, counts]
    if (batch.length === 0 && Object.keys(seen).length === 0) return inTurn(() => undefined)
    unwritten = []
    counts = {}
    return inTurn(async () => {
      const first = (await shared?.reserve('requests', newest + 1, batch.length)) ?? newest + 1
      newest = first + batch.length - 1
      const numbered = batch.map((request, index) => ({ number: first + index, ...request }))
      const below = newest - limit + 1
      await storage.transact(tables => writeBatch(tables, numbered, seen, below))
    }).catch(error => {
      // A call that was answered stays answered, even if its entry is lost; the counts are written with the next ones.
      counts = sumOfCounts([counts, seen])
      onError(error)
    })
  }

  async function flushAll(): Promise<void> {
    await Promise.all([shared?.settleElsewhere(), flush()])
  }

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
      if (unwritten.length >= batchSize) void flush()
      flushSoon()
    },
    async read({ before, limit: wanted, ...filter }) {
      await flushAll()
      return storage.transact(async tables => {
        const oldest = ((await tables.readRequests())[0]?.number ?? 0) - limit
        return readMatching(tables, before, oldest, wanted, filter)
      })
    },
    flush,
    flushAll,
    restore(number) {
      newest = number
      unwritten = []
      counts = {}
    },
    async coverage() {
      await flushAll()
      return (await storage.transact(tables => tables.readDocuments())).coverage ?? {}
    },
  }
}

async function writeBatch(
  tables: SandboxTables,
  batch: readonly RequestRecord[],
  seen: Readonly<Record<string, number>>,
  below: number,
): Promise<void> {
  await tables.addRequests(batch)
  await tables.writeDocument('coverage', sumOfCounts([(await tables.readDocuments()).coverage ?? {}, seen]))
  if (below > 1) await tables.trimRequests(below)
}

async function readMatching(
  tables: SandboxTables,
  before: number | undefined,
  oldest: number,
  wanted: number,
  filter: Omit<RequestFilter, 'before' | 'limit'>,
): Promise<RequestRecord[]> {
  const found: RequestRecord[] = []
  for (let upTo = before; ; ) {
    const batch = await tables.readRequests(upTo)
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

/** Whether a status is the one of a filter, or of its class: `4xx`. */
function statusMatches(status: number, filter: string): boolean {
  const text = String(status)
  return filter === (filter.endsWith('xx') ? text.replace(/..$/, 'xx') : text)
}

/** Counts the tries of callbacks, for the metrics and the coverage. */
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
