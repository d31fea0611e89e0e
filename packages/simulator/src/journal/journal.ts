import type { Storage } from '@lead-distribution/engine'
import type { SandboxTables } from '../ports/sandbox-tables.ts'
import type { Timer } from '../ports/timer.ts'
import type { RequestRecord } from './request-record.ts'

/** Which requests are wanted, newest first. */
export interface RequestFilter {
  readonly operation?: string | undefined
  /** A status or a class of them: `422`, `4xx`. */
  readonly status?: string | undefined
  readonly lead_id?: string | undefined
  /** Only requests of a lower number. */
  readonly before?: number | undefined
  readonly limit: number
}

/** What a tenant was asked, and what was decided. */
export interface Journal {
  /** Notes a request. It is written a moment later, together with its neighbours. */
  add(request: Omit<RequestRecord, 'number'>): void
  /** Counts what was seen besides requests, as `kind/name`; written a moment later too. */
  cover(name: string): void
  read(filter: RequestFilter): Promise<RequestRecord[]>
  /** Writes what was noted. */
  flush(): Promise<void>
  /** Forgets what was noted and not written, and numbers on from behind `newest`: the tenant was put back. */
  put(newest: number, coverage: Readonly<Record<string, number>>): void
  /** How often each outcome, reason, error and event was seen. */
  coverage(): Readonly<Record<string, number>>
}

/** What a journal is written with. */
export interface JournalOptions {
  readonly storage: Storage<SandboxTables>
  readonly timer: Timer
  /** How many requests are kept. */
  readonly limit: number
  /** The number of the newest request that is kept; 0 where there is none. */
  readonly newest: number
  readonly coverage: Readonly<Record<string, number>>
  /** What a request shows that can be covered, as `kind/name`. */
  readonly coveredBy: (request: Omit<RequestRecord, 'number'>) => string[]
  readonly onError: (fault: unknown) => void
}

/**
 * How many requests are written at once, and how long one waits for others, milliseconds of real time. A process that
 * is killed loses no more than that of its journal; each of its own would cost the busiest endpoint a tenth of its rate.
 */
const batchSize = 256
const batchMs = 100

/** The journal of a tenant over its storage. */
export function createJournal(options: JournalOptions): Journal {
  const { storage, timer, limit, coveredBy, onError } = options
  let { newest } = options
  let counts: Record<string, number> = { ...options.coverage }
  let noted: RequestRecord[] = []
  let counted = false
  let waiting = false
  let writing: Promise<void> = Promise.resolve()

  function flush(): Promise<void> {
    if (noted.length === 0 && !counted) return writing
    const batch = noted
    noted = []
    counted = false
    const below = newest - limit + 1
    const coverage = { ...counts }
    writing = writing.then(async () => {
      try {
        await storage.transact(async tables => {
          await tables.addRequests(batch)
          await tables.writeDocument('coverage', coverage)
          if (below > 1) await tables.trimRequests(below)
        })
      } catch (fault) {
        // A call that was answered is not taken back because its note is lost.
        onError(fault)
      }
    })
    return writing
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
    counted = true
    flushSoon()
  }

  return {
    cover,
    add(request) {
      newest += 1
      noted.push({ number: newest, ...request })
      for (const name of coveredBy(request)) cover(name)
      if (noted.length >= batchSize) void flush()
      flushSoon()
    },
    async read({ before, limit: wanted, ...filter }) {
      await flush()
      const found: RequestRecord[] = []
      const oldest = newest - limit
      return storage.transact(async tables => {
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
      })
    },
    flush,
    put(number, coverage) {
      newest = number
      noted = []
      counts = { ...coverage }
      counted = false
    },
    coverage: () => counts,
  }
}

function matches(request: RequestRecord, { operation, status, lead_id }: Omit<RequestFilter, 'before' | 'limit'>) {
  if (operation !== undefined && request.operation !== operation) return false
  if (lead_id !== undefined && request.lead_id !== lead_id) return false
  return status === undefined || statusMatches(request.status, status)
}

/** Whether a status is the one of a filter, or of its class: `4xx`. */
function statusMatches(status: number, filter: string): boolean {
  return filter.endsWith('xx')
    ? String(status).length === 3 && String(status)[0] === filter[0]
    : String(status) === filter
}
