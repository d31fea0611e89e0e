import type { Settings } from '@lead-distribution/contract'
import type { AttemptOutcome, Reading, Storage } from '@lead-distribution/engine'
import type {
  CallBodies,
  RejectionEntry,
  RejectionRecord,
  RequestEntry,
  RequestRecord,
  SandboxCallback,
} from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-tables.ts'
import { StorageUnavailable, TenantChanged, TenantGone, unavailableStatus } from '../storage/storage-unavailable.ts'
import { pause, type Timer } from '../time/clock.ts'
import { coalesce } from '../time/locks.ts'
import { coverageKey, coveredBy, sumOfCounts } from './coverage.ts'
import type { Metrics } from './metrics.ts'

/** A request filter. */
export interface RequestFilter {
  readonly operation?: string | undefined
  /** A status or a class of them: `422`, `4xx`; or how a response was lost: `cut`, `withheld`. */
  readonly status?: string | undefined
  readonly lead_id?: string | undefined
  /** Only requests with a lower number. */
  readonly before?: number | undefined
  readonly limit: number
}

/** A tenant's journal: its requests and the decisions on them. */
export interface Journal {
  /**
   * Adds a request. It is written in a batch a moment later. If processes share the journal, it is written at once, and
   * the returned promise resolves when all of them can read it, or after several attempts while the storage is
   * unavailable. Calls `bodies` if the tenant records bodies; `isFull` if it records them unmasked.
   */
  add(request: RequestEntry, bodies: (isFull: boolean) => CallBodies, rare?: RareParts): Promise<void> | undefined
  /** Counts a coverage item other than a request, by its {@link coverageKey}. Written a moment later. */
  cover(name: string): void
  read(filter: RequestFilter): Promise<RequestRecord[]>
  /** Returns a request's bodies; undefined if they are not stored. */
  readBodies(number: number): Promise<CallBodies | undefined>
  /**
   * Returns rejections that created no lead, from requests below a number, newest first: at least `wanted`, if available.
   */
  readRejections(before?: number, wanted?: number): Promise<RejectionRecord[]>
  /** Returns the time of the oldest stored request, if older ones were removed. */
  keptSince(): Promise<number | undefined>
  /** Writes the added entries. While the storage is unavailable, they are kept and retried. */
  flush(): Promise<void>
  /** Writes the remaining entries before a shutdown. Retries for a few seconds. */
  end(): Promise<void>
  /** Drops unwritten entries, and continues numbering from `newest`. */
  restore(newest: number): void
  /** The number of times each outcome, reason, error and event was seen. */
  coverage(): Promise<Readonly<Record<string, number>>>
}

/** The optional parts of a call's entry. */
export interface RareParts {
  /** Present if the call was rejected and created no lead. */
  readonly rejection?: RejectionEntry | undefined
  /** The id of the click that caused the call: a browser that loses the connection resends the call. */
  readonly attempt?: string | undefined
}

/** The dependencies of a journal. */
export interface JournalOptions {
  readonly storage: Storage<SandboxTables>
  readonly timer: Timer
  /** The maximum number of stored requests. */
  readonly limit: number
  /** The number of the newest stored request; 0 if there is none. */
  readonly newest: number
  /** True if processes share the journal. */
  readonly isMultiProcess: boolean
  /** Returns how the tenant records bodies. */
  readonly keeps: () => Settings['journal_bodies']
  readonly onError: (error: unknown) => void
}

/**
 * The maximum size of a batch of requests, and how long a batch waits, in milliseconds of real time. A killed process
 * loses at most one batch. Writing each request separately would cost the busiest endpoint a tenth of its throughput.
 */
const batchSize = 256
const batchMs = 100

/** The number of requests, newest first, that keep their bodies. */
const maxBodies = 200

/** The number of requests between two removals of old ones: a removal costs as much as a write. */
const trimEvery = 64

/** The minimum number of rejections to read at a time. */
const rejectionsAtATime = 500

/**
 * The number of attempts to write an entry before a response, or the end of the process, no longer waits for it: two
 * seconds.
 */
const maxTries = 20

/** The maximum number of requests to keep while the storage is unavailable. Beyond it, the oldest are dropped. */
const maxUnwritten = 4_096

/** A batch of entries to write together. */
interface Batch {
  readonly requests: RequestEntry[]
  /** By the position of the request. */
  readonly bodies: (CallBodies | null)[]
  /** By the position of the request. */
  readonly rejections: (RejectionEntry | null)[]
  counts: Record<string, number>
  /** The intended number of the first request, set by the first attempt to write. */
  from?: number
}

function emptyBatch(): Batch {
  return { requests: [], bodies: [], rejections: [], counts: {} }
}

/** Omits bodies that the next removal would drop anyway. */
function newestOf(bodies: readonly (CallBodies | null)[]): readonly (CallBodies | null)[] {
  const surplus = bodies.length - maxBodies
  return surplus > 0 ? bodies.map((each, index) => (index < surplus ? null : each)) : bodies
}

/** Omits unmasked bodies. */
const maskedOf = (bodies: readonly (CallBodies | null)[]) => bodies.map(each => (each?.sent ? null : each))

/** Returns true if the batch can be written later. If the tenant was deleted or replaced, its calls are obsolete. */
function isTransient(error: unknown): boolean {
  return error instanceof StorageUnavailable && !(error instanceof TenantGone || error instanceof TenantChanged)
}

/** Creates a tenant's journal over its storage. */
export function createJournal(options: JournalOptions): Journal {
  const { storage, timer, limit, onError, isMultiProcess, keeps } = options
  let { newest } = options
  let batch = emptyBatch()
  /**
   * A batch that could not be written. Kept unchanged, so a retry can tell that the failed write was committed after all.
   */
  let failed: Batch | undefined
  /** The number of requests added so far, and of those written or given up. */
  let [added, settled] = [0, 0]
  /** False once the tenant records no bodies and its old ones are removed. */
  let mayHaveBodies = true
  /** The number of the newest request at the last removal. */
  let trimmedAt = 0
  let waiting = false
  /** How the newest stored call recorded its bodies; undefined if another process, or an earlier one, wrote it. */
  let keptBefore: Settings['journal_bodies'] | undefined
  const attempts = createAttempts()

  /** Returns true if bodies are stored in full, judged by the newest call, which has this number. */
  async function hasFull(tables: SandboxTables, number: number): Promise<boolean> {
    if (keptBefore !== undefined) return keptBefore === 'full'
    return (await tables.readBodies(number))?.sent !== undefined
  }

  async function write({ requests, bodies, rejections, counts, from: tried }: Batch, from: number): Promise<void> {
    newest = Math.max(newest, from + requests.length - 1)
    const below = newest - limit + 1
    const kept = keeps()
    const trims = newest - trimmedAt >= trimEvery
    const added = kept === 'full' ? bodies : maskedOf(bodies)
    const first = await storage.transact(async tables => {
      if (tried !== undefined && isMultiProcess && (await tables.hasAppended(requests, tried))) return undefined
      if (trims) await tables.trimRequests(below)
      if (mayHaveBodies) {
        const removesAll = kept === 'off' || (kept === 'masked' && (await hasFull(tables, from - 1)))
        if (removesAll || trims) await tables.trimBodies(removesAll ? from : newest - maxBodies + 1)
      }
      await tables.addCoverage(counts)
      return tables.appendRequests(requests, from, kept === 'off' ? undefined : newestOf(added), rejections)
    })
    mayHaveBodies = kept !== 'off'
    keptBefore = kept
    if (trims) trimmedAt = newest
    if (first) newest = Math.max(newest, (await first()) + requests.length - 1)
  }

  /** Returns false if the batch has to be retried. */
  async function attemptWrite(tried: Batch): Promise<boolean> {
    const from = tried.from ?? newest + 1
    failed = undefined
    try {
      await write(tried, from)
    } catch (error) {
      onError(error)
      if (isTransient(error)) {
        tried.from = from
        failed = tried
        flushSoon()
        return false
      }
      // A lost entry doesn't fail the call. The counts are written with the next batch.
      batch.counts = sumOfCounts([batch.counts, tried.counts])
    }
    settled += tried.requests.length
    return true
  }

  /** Writes the failed batch, then the current one. Entries added in the meantime form the next batch. */
  const flush = coalesce(async () => {
    if (failed && !(await attemptWrite(failed))) return
    const taken = batch
    if (taken.requests.length === 0 && Object.keys(taken.counts).length === 0) return
    batch = emptyBatch()
    await attemptWrite(taken)
  })

  /** Resolves once the given number of requests are settled, or after the maximum number of attempts. */
  async function untilSettled(count: number): Promise<void> {
    await flush()
    for (let tries = 1; settled < count && tries < maxTries; tries++) {
      await pause(timer, batchMs)
      await flush()
    }
  }

  function flushSoon(): void {
    if (waiting) return
    waiting = true
    timer.after(batchMs, () => {
      waiting = false
      void flush()
    })
  }

  /** Returns the bodies to store. A failure to mask them doesn't fail the call. */
  function tryBodies(bodiesOf: (isFull: boolean) => CallBodies): CallBodies | null {
    const kept = keeps()
    if (kept === 'off') return null
    try {
      return bodiesOf(kept === 'full')
    } catch (error) {
      onError(error)
      return null
    }
  }

  function cover(name: string): void {
    batch.counts[name] = (batch.counts[name] ?? 0) + 1
    flushSoon()
  }

  return {
    cover,
    add(request, bodiesOf, { rejection, attempt } = {}) {
      const { requests, bodies, rejections } = batch
      if (attempt !== undefined && !attempts.add(attempt)) request.resent = true
      requests.push(request)
      bodies.push(tryBodies(bodiesOf))
      rejections.push(rejection ?? null)
      added += 1
      if (requests.length > maxUnwritten) {
        requests.shift()
        bodies.shift()
        rejections.shift()
        settled += 1
      }
      for (const name of coveredBy(request)) cover(name)
      // A refused call will be retried anyway, so it doesn't wait for the unavailable storage.
      if (isMultiProcess) return request.status === unavailableStatus ? flush() : untilSettled(added)
      if (requests.length >= batchSize && !failed) void flush()
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
      const kept = keeps()
      if (kept === 'off') return undefined
      return storage.read(async tables => {
        const oldest = (await newestNumber(tables)) - maxBodies
        const found = number > oldest ? await tables.readBodies(number) : undefined
        return found?.sent && kept !== 'full' ? undefined : found
      })
    },
    async readRejections(before, wanted = limit) {
      await flush()
      return storage.read(async tables => {
        const oldest = (await newestNumber(tables)) - limit
        const found: RejectionRecord[] = []
        for (let below = before; found.length < wanted; ) {
          const some = await tables.readRejections(below, Math.min(wanted, rejectionsAtATime))
          found.push(...some)
          below = some.at(-1)?.number
          if (below === undefined || below <= oldest) break
        }
        return found.filter(({ number }) => number > oldest)
      })
    },
    async keptSince() {
      await flush()
      return storage.read(async tables => {
        const first = Math.max(1, (await newestNumber(tables)) - limit + 1)
        const oldest = await tables.findOldestRequest(first)
        return oldest && oldest.number > 1 ? oldest.at : undefined
      })
    },
    flush,
    end: () => untilSettled(added),
    restore(number) {
      newest = number
      mayHaveBodies = true
      keptBefore = undefined
      trimmedAt = 0
      batch = emptyBatch()
      failed = undefined
      settled = added
    },
    async coverage() {
      await flush()
      return storage.read(tables => tables.readCoverage())
    },
  }
}

/** The number of recent attempts to remember: a browser resends a call at once. */
const maxAttempts = 100

/** Remembers attempts, in this process only: a browser resends a call to the same process. */
function createAttempts() {
  const newest = new Set<string>()
  return {
    /** Returns false if the attempt is already known. */
    add(attempt: string): boolean {
      if (newest.has(attempt)) return false
      newest.add(attempt)
      const [oldest] = newest
      if (newest.size > maxAttempts && oldest !== undefined) newest.delete(oldest)
      return true
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

/** Returns true if a status equals the filter, or is in its class, such as `4xx`. */
function statusMatches(status: number, filter: string): boolean {
  const text = String(status)
  return filter === (filter.endsWith('xx') ? text.replace(/..$/, 'xx') : text)
}

/** Counts the attempts of callbacks, for the metrics and the coverage. */
export function countAttempts(metrics: Metrics, journal: Journal) {
  return ({ state }: AttemptOutcome, { attempts, resent_after = 0, origin }: SandboxCallback) => {
    metrics.callbackAttempt(state === 'delivered' ? 'delivered' : 'failed')
    if (state !== 'pending') {
      metrics.callback(state)
      journal.cover(coverageKey('callback', state, origin))
    }
    // The first attempt, and one that was requested, is not a retry.
    if (attempts.length > resent_after) journal.cover(coverageKey('callback', 'retried', origin))
  }
}
