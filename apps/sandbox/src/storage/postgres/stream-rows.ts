import { parseStored, recordsOf, type SharedChanges, type StreamEvent } from '@lead-distribution/simulator'
import { statement } from '../sql/statement.ts'
import type { PostgresConnection } from './connection.ts'
import { ifMigrated } from './migrate.ts'
import { databaseTime } from './session.ts'

/** The position of a process in the stream of all commits. */
interface Place {
  snapshot: string
  /** The database's clock. */
  now: number
}

/** A journal row: the tenant, the number of the first request, and the requests as JSON. */
type RequestsRow = [tenant: string, first: number, data: string]

/** A condition for rows committed since a position. It starts with the row's version, which has an index. */
const since = (version: string) =>
  `${version} >= pg_snapshot_xmin(cast(:since as pg_snapshot))
   and not pg_visible_in_snapshot(${version}, cast(:since as pg_snapshot))`

/** How long a process counts as a reader, and the interval at which it renews that, milliseconds. */
const [readerMs, announceMs] = [15_000, 5_000]

const placeNow = `pg_current_snapshot()::text as snapshot, ${databaseTime} as now`

const statements = {
  place: statement<object, Place>(`select ${placeNow}`),
  /** Everything committed between the previous read and this one; each row is in exactly one read. */
  committed: statement<{ since: string }, Place & { events: string | null; requests: string | null }>(
    `select ${placeNow},
       (select json_agg(events order by seq)::text from stream_events where ${since('version')}) as events,
       (select json_agg(json_build_array(name, first, data) order by version, first)::text from (
          select version, first, data, (
            select name from tenants where tenants.tenant = requests.tenant and snapshot_of is null) as name
          from requests where ${since('version')}) as added where name is not null) as requests`,
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

/** A column that is read with the changes: true if another process reads streams and must be notified of new rows. */
export const readElsewhere = `exists (
  select from stream_readers where process <> :process and until >= ${databaseTime}) as "isReadElsewhere"`

/** The changes for a process's streams. */
type Found = Pick<SharedChanges, 'events' | 'requests'>
const nothing: Found = { events: [], requests: [] }

/**
 * Reads the commits of all processes for the streams of one process. Events are retained for `keptMs`; a process with
 * readers polls more often.
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
    /** Call with each new connection, because commits since the previous one may be lost. */
    restart(): void {
      isLost ||= place !== undefined
      place = undefined
      announcedAt = Number.NEGATIVE_INFINITY
    },
    /**
     * Reads the commits since the last call; nothing if no stream has readers. Call `done` after reading all changes.
     */
    async readChanges(connection: PostgresConnection, isRead: boolean): Promise<Found & { done: () => void }> {
      if (!isRead) return { ...nothing, done: stop }
      const from = place
      const [, { rows }] = await Promise.all([
        announce(connection),
        from ? connection.send(statements.committed, { since: from.snapshot }) : connection.send(statements.place, {}),
      ])
      const [row] = rows as [Place & Partial<{ events: string | null; requests: string | null }>]
      const done = () => {
        isLost = false
        place = { snapshot: row.snapshot, now: row.now }
      }
      if (isLost || (from && row.now - from.now > keptMs)) return { events: undefined, requests: [], done }
      const events: string[] = JSON.parse(row.events ?? '[]')
      const added: RequestsRow[] = JSON.parse(row.requests ?? '[]')
      return { events: events.flatMap(eventsOf), requests: added.flatMap(requestsOf), done }
    },
    removeOld: (connection: PostgresConnection) => connection.send(statements.removeOld, { kept_ms: keptMs }),
  }
}

/** Parses a row's events. An unreadable one does not stop the stream. */
function eventsOf(text: string): readonly StreamEvent[] {
  const events = parseStored(text)
  return Array.isArray(events) ? events.filter(isEvent) : []
}

function isEvent(value: unknown): value is StreamEvent {
  const { type, tenant } = (value ?? {}) as Partial<StreamEvent>
  return typeof type === 'string' && typeof tenant === 'string'
}

/** Parses a journal row's requests, oldest first. An unreadable one does not stop the stream. */
function requestsOf([tenant, first, data]: RequestsRow): Found['requests'] {
  const { entries } = (parseStored(data) ?? {}) as { entries?: unknown }
  if (!Array.isArray(entries)) return []
  return recordsOf({ first, last: first + entries.length - 1, entries })
    .reverse()
    .map(request => ({ tenant, request }))
}
