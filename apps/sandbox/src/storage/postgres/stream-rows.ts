import type { SharedChanges, StreamOf } from '@lead-distribution/simulator'
import { statement } from '../sql/statement.ts'
import type { PostgresConnection } from './connection.ts'

interface Process {
  process: number
}

/** How long events are kept for the processes that read them, milliseconds. Each looks every second. */
const keptMs = 60_000

/** Lives as long as the connection of its process, for which it is locked. */
const processLocks = `pg_locks where locktype = 'advisory' and objsubid = 2 and granted
  and database = (select oid from pg_database where datname = current_database())
  and classid::bigint = hashtext(current_schema()) & 2147483647`

const statements = {
  live: statement<Process>('select pg_advisory_lock_shared(hashtext(current_schema()) & 2147483647, :process)'),
  listOthers: statement<Process, Process>(
    `select distinct objid::bigint as process from ${processLocks} and objid::bigint <> :process`,
  ),
  read: statement<Process & { streams: string }, { snapshot: string }>(
    `insert into stream_readers (process, streams) values (:process, :streams)
     on conflict (process) do update set streams = excluded.streams returning pg_current_snapshot()::text as snapshot`,
  ),
  readNothing: statement<Process>('delete from stream_readers where process = :process'),
  /** What was committed between the snapshot of the look before and this one: each event is in one look. */
  committed: statement<Process & { since: string }, { snapshot: string; events: string | null }>(
    `select pg_current_snapshot()::text as snapshot, (
       select json_agg(events::json order by seq)::text from stream_events
       where version >= pg_snapshot_xmin(cast(:since as pg_snapshot))
       and not pg_visible_in_snapshot(version, cast(:since as pg_snapshot)) and process <> :process) as events`,
  ),
  removeOld: statement<{ kept_ms: number }>(
    `with gone as (delete from stream_readers where process not in (select objid::bigint from ${processLocks}))
     delete from stream_events where at < clock_timestamp() - cast(:kept_ms as float8) * interval '1 millisecond'`,
  ),
}

/** What the other processes read, as a column of a look. */
export const readElsewhere =
  '(select json_agg(streams::json)::text from stream_readers where process <> :process) as streams'

/** The streams of a column {@link readElsewhere}. */
export const streamsOf = (column: string | null): StreamOf[] => (JSON.parse(column ?? '[]') as StreamOf[][]).flat()

/** The rows by which a process reads in its streams what others commit. A row of a reader counts as long as its process lives. */
export function createStreamRows(process: number) {
  /** What this connection has said it reads. */
  let reading = '[]'
  let since: string | undefined
  let readAt = 0
  let isLost = false

  return {
    /** To be called with each new connection: what was committed since the one before is not known. */
    async live(connection: PostgresConnection): Promise<void> {
      isLost ||= since !== undefined
      reading = '[]'
      since = undefined
      await connection.send(statements.live, { process })
    },
    async listOthers(connection: PostgresConnection): Promise<number[]> {
      return (await connection.send(statements.listOthers, { process })).rows.map(row => row.process)
    },
    async read(connection: PostgresConnection, streams: readonly StreamOf[]): Promise<void> {
      const before = reading
      reading = JSON.stringify(streams)
      if (reading === before) return
      try {
        if (streams.length === 0) {
          since = undefined
          await connection.send(statements.readNothing, { process })
          return
        }
        const { rows } = await connection.send(statements.read, { process, streams: reading })
        since ??= rows[0]?.snapshot
      } catch (error) {
        reading = before
        throw error
      }
    },
    /** The events since the look before; nothing is asked where no stream is read. `now` is the database's clock. */
    async look(connection: PostgresConnection, now: Promise<number>): Promise<SharedChanges['events']> {
      const from = since
      const sent = from === undefined ? undefined : connection.send(statements.committed, { process, since: from })
      const [at, row] = [await now, (await sent)?.rows[0]]
      const isComplete = !isLost && (row === undefined || readAt === 0 || at - readAt < keptMs)
      isLost = false
      readAt = row ? at : 0
      // It may have stopped and begun to read meanwhile.
      if (row && since === from) since = row.snapshot
      return isComplete ? (JSON.parse(row?.events ?? '[]') as NonNullable<SharedChanges['events']>[]).flat() : undefined
    },
    removeOld: (connection: PostgresConnection) => connection.send(statements.removeOld, { kept_ms: keptMs }),
  }
}
