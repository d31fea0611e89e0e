import type { SharedChanges, StreamOf } from '@lead-distribution/simulator'
import { statement } from '../sql/statement.ts'
import type { PostgresConnection } from './connection.ts'
import { databaseTime } from './session.ts'

interface Process {
  process: number
}

/** Lives as long as the connection of its process, for which it is locked. */
const processLocks = `pg_locks where locktype = 'advisory' and objsubid = 2 and granted
  and database = (select oid from pg_database where datname = current_database())
  and classid::bigint = hashtext(current_schema()) & 2147483647`

const placeNow = `pg_current_snapshot()::text as snapshot, ${databaseTime} as now`

const statements = {
  live: statement<Process>('select pg_advisory_lock_shared(hashtext(current_schema()) & 2147483647, :process)'),
  listOthers: statement<Process, Process>(
    `select distinct objid::bigint as process from ${processLocks} and objid::bigint <> :process`,
  ),
  read: statement<Process & { streams: string }, Place>(
    `insert into stream_readers (process, streams) values (:process, :streams)
     on conflict (process) do update set streams = excluded.streams returning ${placeNow}`,
  ),
  readNothing: statement<Process>('delete from stream_readers where process = :process'),
  /** What was committed between the snapshot of the look before and this one: each event is in one look. */
  committed: statement<Process & { since: string }, Place & { events: string | null }>(
    `select ${placeNow}, (
       select json_agg(events::json order by seq)::text from stream_events
       where version >= pg_snapshot_xmin(cast(:since as pg_snapshot))
       and not pg_visible_in_snapshot(version, cast(:since as pg_snapshot)) and process <> :process) as events`,
  ),
  removeOld: statement<{ kept_ms: number }>(
    `with dead as (delete from stream_readers where process not in (select objid::bigint from ${processLocks}))
     delete from stream_events where at < clock_timestamp() - cast(:kept_ms as float8) * interval '1 millisecond'`,
  ),
}

/** What the other processes read, as a column of a look. */
export const readElsewhere =
  '(select json_agg(streams::json)::text from stream_readers where process <> :process) as streams'

/** The streams of a column {@link readElsewhere}. */
export const streamsOf = (column: string | null): StreamOf[] => (JSON.parse(column ?? '[]') as StreamOf[][]).flat()

/** Where a process is in the events of the others. */
interface Place {
  snapshot: string
  /** The database's clock. */
  now: number
}

/**
 * The rows by which a process reads in its streams what others commit. Events are kept for so many milliseconds: each process
 * looks every second. A row of a reader counts as long as its process lives.
 */
export function createStreamRows(process: number, keptMs = 60_000) {
  /** What the connection has said it reads, where that is certain. */
  let reading: string | undefined
  let place: Place | undefined
  let isLost = false

  return {
    /** To be called with each new connection: what was committed since the one before is not known. */
    async live(connection: PostgresConnection): Promise<void> {
      isLost ||= place !== undefined
      reading = undefined
      place = undefined
      await connection.send(statements.live, { process })
    },
    async listOthers(connection: PostgresConnection): Promise<number[]> {
      return (await connection.send(statements.listOthers, { process })).rows.map(row => row.process)
    },
    async read(connection: PostgresConnection, streams: readonly StreamOf[]): Promise<void> {
      const wanted = JSON.stringify(streams)
      if (reading === wanted) return
      reading = wanted
      try {
        if (streams.length === 0) {
          place = undefined
          await connection.send(statements.readNothing, { process })
        } else {
          const { rows } = await connection.send(statements.read, { process, streams: wanted })
          place ??= rows[0]
        }
      } catch (error) {
        reading = undefined
        throw error
      }
    },
    /** The events since the look before; nothing is asked where no stream is read. `done` is for a look that succeeded as a whole. */
    async look(connection: PostgresConnection): Promise<{ events: SharedChanges['events']; done: () => void }> {
      const from = place
      const since = from?.snapshot
      const row =
        since === undefined ? undefined : (await connection.send(statements.committed, { process, since })).rows[0]
      const isComplete = !isLost && (!from || !row || row.now - from.now < keptMs)
      const events: NonNullable<SharedChanges['events']>[] = JSON.parse(row?.events ?? '[]')
      const done = () => {
        isLost = false
        // Meanwhile it may have stopped to read.
        if (row && place === from) place = { snapshot: row.snapshot, now: row.now }
      }
      return { events: isComplete ? events.flat() : undefined, done }
    },
    removeOld: (connection: PostgresConnection) => connection.send(statements.removeOld, { kept_ms: keptMs }),
  }
}
