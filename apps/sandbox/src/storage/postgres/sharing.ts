import { setTimeout as wait } from 'node:timers/promises'
import type { Series, SharedChanges, SharedStorage, TenantRecord, WaitingTenant } from '@lead-distribution/simulator'
import { sharedDocuments } from '../sql/reports-and-documents.ts'
import { statement, type TenantKey } from '../sql/statement.ts'
import type { PostgresConnection } from './connection.ts'

interface ChangedRow {
  content: string
  record: string
  version: number
  /** An object of JSON; null where none was written. */
  documents: string | null
}

/** The time of the database, which all processes have in common: milliseconds since 1970. */
const databaseTime = '(extract(epoch from clock_timestamp()) * 1000)::bigint'

/** What is due first of each tenant: from one tenant the index leads to the next, past all else that it has. */
function firstOfEach(table: string, where: string): string {
  const first = (after: string) =>
    `select tenant, due_at from ${table} where ${where} ${after} order by tenant, due_at limit 1`
  return `with recursive found as (
    (${first('')}) union all select next.* from found, lateral (${first('and tenant > found.tenant')}) as next)
  select tenant, due_at from found`
}

const statements = {
  /**
   * From which transaction on something may be missing in a look that begins now: those before it have all ended, and
   * their numbers are the versions of what they changed.
   */
  horizon: statement<object, { since: number; now: number }>(
    `select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as since, ${databaseTime} as now`,
  ),
  changed: statement<{ since: number }, ChangedRow>(
    `select tenant as content, record, version, (
       select json_object_agg(documents.name, documents.value::json)::text from documents
       where documents.tenant = tenants.tenant and documents.name in ${sharedDocuments}) as documents
     from tenants where version >= :since and snapshot_of is null and name is not null order by seq`,
  ),
  gone: statement<{ since: number }, { content: string }>('select tenant as content from gone where version >= :since'),
  forgetGone: statement<object>(`delete from gone where gone_at < now() - interval '1 day'`),
  reserve: statement<TenantKey & { series: Series; from: number; count: number }, { first: number }>(
    `insert into counters (tenant, series, next)
       values (:tenant, :series, cast(:from as bigint) + cast(:count as bigint))
     on conflict (tenant, series) do update
       set next = greatest(counters.next, cast(:from as bigint)) + cast(:count as bigint)
     returning next - cast(:count as bigint) as first`,
  ),
  countJobs: statement<TenantKey>(
    `insert into counters (tenant, series, next) values (:tenant, 'jobs', 0)
     on conflict (tenant, series) do update set next = 0`,
  ),
  endJobs: statement<TenantKey, { done: number }>(
    `delete from counters where tenant = :tenant and series = 'jobs' returning next as done`,
  ),
  lock: statement<{ name: string }, { locked: boolean }>(
    'select pg_try_advisory_lock(hashtextextended(current_schema() || :name, 1)) as locked',
  ),
  unlock: statement<{ name: string }>('select pg_advisory_unlock(hashtextextended(current_schema() || :name, 1))'),
  channel: statement<object, { channel: string }>(`select 'lead_sandbox_' || md5(current_schema()) as channel`),
  notify: statement<{ channel: string; payload: string }>('select pg_notify(:channel, :payload)'),
  listWaiting: statement<object, WaitingTenant>(
    `select name as tenant, min(due_at) as due_at from (
       select due_at, (select name from tenants where tenants.tenant = firsts.tenant and snapshot_of is null) as name from (
         (${firstOfEach('callbacks', `state = 'pending' and (leased_until is null or leased_until <= ${databaseTime})`)})
         union all
         (${firstOfEach('reports', 'true')})) as firsts) as waiting
     where name is not null group by name`,
  ),
}

/** How long to wait before a lock is tried again that another process has, milliseconds. */
const lockRetryMs = 20

/** What a process has one more connection for. */
export interface Sharing extends SharedStorage {
  close(): Promise<void>
}

/**
 * Keeps a process in step with others over a connection that is in no transaction: `connect` makes it. Locks are those of
 * the connection, and end with it.
 */
export function createSharing(
  connect: (onNotified: (payload: string) => void) => Promise<PostgresConnection>,
): Sharing {
  const listeners: ((tenant: string) => void)[] = []
  let since = 0
  let channel = ''
  const { connected, current, close } = createReconnecting(async () => {
    const connection = await connect(payload => {
      for (const listener of listeners) listener(payload)
    })
    // After a crash the database may give numbers again that it had given to what was not committed.
    since = 0
    channel = (await connection.send(statements.channel, {})).rows[0]?.channel ?? ''
    await connection.command(`listen ${channel}`)
    // What is written here is numbers: a lead that has one is committed after it, and takes it along to the disk.
    await connection.command('set synchronous_commit = off')
    await connection.send(statements.forgetGone, {})
    return connection
  })

  return {
    async look(): Promise<SharedChanges> {
      const connection = await connected()
      const params = { since }
      const [horizon, changed, gone] = await Promise.all([
        connection.send(statements.horizon, {}),
        connection.send(statements.changed, params),
        connection.send(statements.gone, params),
      ])
      const [row] = horizon.rows
      if (!row) throw new Error('PostgreSQL returned no row of a look.')
      since = row.since
      const tenants = changed.rows.map(({ content, record, version, documents }) => ({
        content,
        version,
        record: JSON.parse(record) as TenantRecord,
        documents: JSON.parse(documents ?? '{}'),
      }))
      return { tenants, gone: gone.rows.map(({ content }) => content), now: row.now }
    },
    async reserve(tenant, series, from, count) {
      const { rows } = await (await connected()).send(statements.reserve, { tenant, series, from, count })
      const [row] = rows
      if (!row) throw new Error('PostgreSQL returned no number.')
      return row.first
    },
    async countJobs(tenant) {
      await (await connected()).send(statements.countJobs, { tenant })
      return async () => (await (await connected()).send(statements.endJobs, { tenant })).rows[0]?.done ?? 0
    },
    exclusive: createLocks({
      async lock(name) {
        while (!(await (await connected()).send(statements.lock, { name })).rows[0]?.locked) await wait(lockRetryMs)
      },
      // A connection that is lost has unlocked it, and another one does not have it.
      unlock: async name => void (await (await current())?.send(statements.unlock, { name }).catch(() => undefined)),
    }),
    notify(payload) {
      // One that is lost is made up for by the looks of the others.
      void connected()
        .then(connection => connection.send(statements.notify, { channel, payload }))
        .catch(() => undefined)
    },
    onNotified: listener => void listeners.push(listener),
    async listWaiting() {
      return (await (await connected()).send(statements.listWaiting, {})).rows
    },
    close,
  }
}

/** A connection that is made again when it is asked for after it was lost. */
function createReconnecting(open: () => Promise<PostgresConnection>) {
  let opening: Promise<PostgresConnection> | undefined
  let closed = false
  const current = async () => opening?.catch(() => undefined)
  return {
    /** The one there is, lost or not. */
    current,
    async connected(): Promise<PostgresConnection> {
      const before = opening
      const existing = await current()
      if (closed) throw new Error('The storage is closed: open it again to use it.')
      // Another one that found it lost may have begun to open it again.
      if (before === opening && (!existing || existing.isLost())) opening = open()
      return opening as Promise<PostgresConnection>
    },
    async close(): Promise<void> {
      closed = true
      await (await current())?.close()
    },
  }
}

/** Locks by their names. In this process by a queue: the database gives a connection a lock as often as it asks. */
function createLocks({ lock, unlock }: Record<'lock' | 'unlock', (name: string) => Promise<void>>) {
  const last = new Map<string, Promise<void>>()
  return async <Result>(name: string, run: () => Promise<Result>): Promise<Result> => {
    const before = last.get(name)
    const over = Promise.withResolvers<void>()
    last.set(name, over.promise)
    await before
    try {
      await lock(name)
      try {
        return await run()
      } finally {
        await unlock(name)
      }
    } finally {
      if (last.get(name) === over.promise) last.delete(name)
      over.resolve()
    }
  }
}
