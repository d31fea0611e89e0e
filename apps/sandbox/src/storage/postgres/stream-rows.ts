import { parseStored, recordsOf, type SharedChanges, type StreamEvent } from '@lead-distribution/simulator'
import { statement } from '../sql/statement.ts'
import type { PostgresConnection } from './connection.ts'
import { ifMigrated } from './migrate.ts'
import { databaseTime } from './session.ts'

/** The position of a process in what all of them commit. */
interface Place {
  snapshot: string
  /** The database's clock. */
  now: number
}

/** A row of the journal: the tenant, the number of the first request, and the JSON that has the requests. */
type CallsRow = [tenant: string, first: number, data: string]

/** True for a row that was committed since a place. Its own version comes first, because there is an index of it. */
const since = (version: string) =>
  `${version} >= pg_snapshot_xmin(cast(:since as pg_snapshot))
   and not pg_visible_in_snapshot(${version}, cast(:since as pg_snapshot))`

/** The time that a process counts as a reader, and the interval at which it says so again, milliseconds. */
const [readerMs, announceMs] = [15_000, 5_000]

const placeNow = `pg_current_snapshot()::text as snapshot, ${databaseTime} as now`

const statements = {
  place: statement<object, Place>(`select ${placeNow}`),
  /** Everything that was committed between the previous read and this one: each row is in exactly one. */
  committed: statement<{ since: string }, Place & { events: string | null; calls: string | null }>(
    `select ${placeNow},
       (select json_agg(events order by seq)::text from stream_events where ${since('version')}) as events,
       (select json_agg(json_build_array(name, first, data) order by version, first)::text from (
          select version, first, data, (
            select name from tenants where tenants.tenant = requests.tenant and snapshot_of is null) as name
          from requests where ${since('version')}) as added where name is not null) as calls`,
  ),
  announce: statement<{ process: number }>(
    `insert into stream_readers (process, until) select :process, ${databaseTime} + ${readerMs} where ${ifMigrated}
     on conflict (process) do update set until = excluded.until`,
  ),
  removeOld: statement<{ kept_ms: number }>(
    `with gone as (delete from stream_readers where until < ${databaseTime} and ${ifMigrated})
     delete from stream_events where at < now() - cast(:kept_ms as float8) * interval '1 millisecond' and ${ifMigrated}`,
  ),
}

/** A column that is read with the changes: true if another process reads streams, and must be notified of rows to read. */
export const readElsewhere = `exists (
  select from stream_readers where process <> :process and until >= ${databaseTime}) as "isReadElsewhere"`

/** The part of the changes for the streams of a process. */
type Found = Pick<SharedChanges, 'events' | 'calls'>
const nothing: Found = { events: [], calls: [] }

/**
 * Reads what all processes commit, for the streams of one. Events are kept for so many milliseconds; a process with readers
 * reads changes more often.
 */
export function createStreamRows(process: number, keptMs = 60_000) {
  let place: Place | undefined
  let isLost = false
  let announcedAt = Number.NEGATIVE_INFINITY

  async function announce(connection: PostgresConnection): Promise<void> {
    if (performance.now() - announcedAt < announceMs) return
    announcedAt = performance.now()
    await connection.send(statements.announce, { process })
  }

  const stop = () => {
    place = undefined
  }

  return {
    /** Call with each new connection: what was committed since the previous one may be gone. */
    restart(): void {
      isLost ||= place !== undefined
      place = undefined
      announcedAt = Number.NEGATIVE_INFINITY
    },
    /** Reads what was committed since the last time; nothing if no stream is read. Call `done` once all changes are read. */
    async readChanges(connection: PostgresConnection, isRead: boolean): Promise<Found & { done: () => void }> {
      if (!isRead) return { ...nothing, done: stop }
      const from = place
      const [, { rows }] = await Promise.all([
        announce(connection),
        from ? connection.send(statements.committed, { since: from.snapshot }) : connection.send(statements.place, {}),
      ])
      const [row] = rows as [Place & Partial<{ events: string | null; calls: string | null }>]
      const done = () => {
        isLost = false
        place = { snapshot: row.snapshot, now: row.now }
      }
      if (isLost || (from && row.now - from.now > keptMs)) return { events: undefined, calls: [], done }
      const events: string[] = JSON.parse(row.events ?? '[]')
      const calls: CallsRow[] = JSON.parse(row.calls ?? '[]')
      return { events: events.flatMap(eventsOf), calls: calls.flatMap(callsOf), done }
    },
    removeOld: (connection: PostgresConnection) => connection.send(statements.removeOld, { kept_ms: keptMs }),
  }
}

/** The events of a row. One that cannot be read stops no stream. */
function eventsOf(text: string): readonly StreamEvent[] {
  const events = parseStored(text)
  return Array.isArray(events) ? events.filter(isEvent) : []
}

function isEvent(value: unknown): value is StreamEvent {
  const { type, tenant } = (value ?? {}) as Partial<StreamEvent>
  return typeof type === 'string' && typeof tenant === 'string'
}

/** The requests of a row of a journal, oldest first. One that cannot be read stops no stream. */
function callsOf([tenant, first, data]: CallsRow): Found['calls'] {
  const { entries } = (parseStored(data) ?? {}) as { entries?: unknown }
  if (!Array.isArray(entries)) return []
  return recordsOf({ first, last: first + entries.length - 1, entries })
    .reverse()
    .map(request => ({ tenant, request }))
}
