import { randomInt } from 'node:crypto'
import {
  type ProcessMessage,
  parseStored,
  type Series,
  type SharedChanges,
  type SharedStorage,
  type SharedTenant,
  type WaitingTenant,
} from '@lead-distribution/simulator'
import { sharedDocumentNames } from '../sql/sql-transaction.ts'
import { type CheckLease, statement, type TenantKey } from '../sql/statement.ts'
import type { PostgresConnection } from './connection.ts'
import { createLeases } from './leases.ts'
import { checkMigrated, ifMigrated, migratedColumn } from './migrate.ts'
import { createReconnecting, databaseTime } from './session.ts'
import { createStreamRows, readElsewhere } from './stream-rows.ts'

interface ChangedRow {
  content: string
  name: string
  record: string
  version: number
  /** The texts of the documents, as a JSON object; null if none was written. */
  documents: string | null
}

/** The first due row of each tenant: the query skips through the index from tenant to tenant. */
function firstOfEach(table: string, where: string): string {
  const first = (after: string) =>
    `select tenant, due_at from ${table} where ${where} ${after} order by tenant, due_at limit 1`
  return `with recursive found as (
    (${first('')}) union all select next.* from found, lateral (${first('and tenant > found.tenant')}) as next)
  select tenant, due_at from found`
}

const statements = {
  /**
   * The horizon: changes by transactions from this number on may be missing in a read that begins now. All earlier ones
   * have ended, and their numbers are the versions of what they changed.
   */
  horizon: statement<{ process: number }, { since: number; now: number; isReadElsewhere: boolean; migrated: number }>(
    `select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as since, ${databaseTime} as now, ${readElsewhere},
      ${migratedColumn}`,
  ),
  changed: statement<{ since: number }, ChangedRow>(
    `select tenant as content, name, record, version, (
       select json_object_agg(documents.name, documents.value)::text from documents
       where documents.tenant = tenants.tenant and documents.name in ${sharedDocumentNames}) as documents
     from tenants where version >= :since and snapshot_of is null and name is not null order by seq`,
  ),
  gone: statement<{ since: number }, { content: string }>('select tenant as content from gone where version >= :since'),
  forgetGone: statement<object>(`delete from gone where gone_at < now() - interval '1 day' and ${ifMigrated}`),
  reserve: statement<TenantKey & { series: Series; from: number; count: number }, { first: number; migrated: number }>(
    `with reserved as (
       insert into counters (tenant, series, next)
         select :tenant, :series, cast(:from as bigint) + cast(:count as bigint) where ${ifMigrated}
       on conflict (tenant, series) do update
         set next = greatest(counters.next, cast(:from as bigint)) + cast(:count as bigint)
       returning next - cast(:count as bigint) as "first")
     select (select "first" from reserved) as "first", ${migratedColumn}`,
  ),
  countJobs: statement<TenantKey>(
    `insert into counters (tenant, series, next) select :tenant, 'jobs', 0 where ${ifMigrated}
     on conflict (tenant, series) do update set next = 0`,
  ),
  countedJobs: statement<TenantKey, { done: number }>(
    `select next as done from counters where tenant = :tenant and series = 'jobs'`,
  ),
  endJobs: statement<TenantKey>(`delete from counters where tenant = :tenant and series = 'jobs' and ${ifMigrated}`),
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

/** The coordination tasks of a process, over an additional connection. */
export interface Coordination extends SharedStorage {
  /** Fails a transaction under a lease on a tenant, if the lease is lost. */
  readonly checkLease: CheckLease
  close(): Promise<void>
}

/** Synchronizes a process with others over a connection outside of transactions, created by `connect`. */
export function createCoordination(
  connect: (onNotified: (payload: string) => void) => Promise<PostgresConnection>,
): Coordination {
  const process = randomInt(2 ** 31 - 1)
  const streams = createStreamRows(process)
  let since = 0
  const { connected, run, close } = createReconnecting(
    () => connect(messages.receive),
    async connection => {
      // After a crash, the database may reassign the numbers of uncommitted transactions.
      since = 0
      await messages.listen(connection)
      // Only numbers are written here. A lead with one of them is committed later, which makes them durable too.
      await connection.command('set synchronous_commit = off')
      await connection.send(statements.forgetGone, {})
      streams.restart()
    },
  )
  const messages = createMessages(process, connected)
  const leases = createLeases({ connected, run })

  async function readChanges(connection: PostgresConnection, isRead: boolean): Promise<SharedChanges> {
    const params = { since }
    // The order matters: events must include everything about removed tenants, and changed tenants everything about the
    // events.
    const [horizon, gone, committed, changed] = await Promise.all([
      connection.send(statements.horizon, { process }),
      connection.send(statements.gone, params),
      streams.readChanges(connection, isRead),
      connection.send(statements.changed, params),
    ])
    const [row] = horizon.rows
    if (!row) throw new Error('PostgreSQL returned no row.')
    checkMigrated(row.migrated)
    committed.done()
    since = row.since
    const tenants = changed.rows.map(tenantOf)
    const { now, isReadElsewhere } = row
    const { events, requests } = committed
    return { tenants, gone: gone.rows.map(({ content }) => content), now, isReadElsewhere, events, requests }
  }

  return {
    checkLease: leases.check,
    exclusive: leases.exclusive,
    readChanges: isRead => run(connection => readChanges(connection, isRead)),
    async reserve(tenant, series, from, count) {
      const { rows } = await run(connection => connection.send(statements.reserve, { tenant, series, from, count }))
      const [row] = rows
      if (!row) throw new Error('PostgreSQL returned no number.')
      checkMigrated(row.migrated)
      return row.first
    },
    async countJobs(tenant) {
      await run(connection => connection.send(statements.countJobs, { tenant }))
      return async () => {
        const { rows } = await run(connection => connection.send(statements.countedJobs, { tenant }))
        await run(connection => connection.send(statements.endJobs, { tenant }))
        return rows[0]?.done ?? 0
      }
    },
    send: messages.send,
    onMessage: messages.onMessage,
    removeOld: async () => void (await streams.removeOld(await connected())),
    async listWaiting() {
      return (await (await connected()).send(statements.listWaiting, {})).rows
    },
    close,
  }
}

/** Returns a changed tenant from its row. */
function tenantOf({ content, name, record, version, documents }: ChangedRow): SharedTenant {
  const texts = Object.entries<string>(JSON.parse(documents ?? '{}'))
  return {
    content,
    version,
    tenant: name,
    record: parseStored(record),
    documents: Object.fromEntries(texts.map(([name, text]) => [name, parseStored(text)])),
  }
}

/** Messages between processes, as PostgreSQL notifications. */
function createMessages(process: number, connected: () => Promise<PostgresConnection>) {
  const listeners: Parameters<SharedStorage['onMessage']>[0][] = []
  let channel = ''
  return {
    async listen(connection: PostgresConnection): Promise<void> {
      channel = (await connection.send(statements.channel, {})).rows[0]?.channel ?? ''
      await connection.command(`listen ${channel}`)
    },
    receive(payload: string): void {
      // Any user of the database can send notifications.
      const { from, ...message } = (parseStored(payload) ?? {}) as ProcessMessage & { from?: unknown }
      if (typeof from === 'number' && from !== process) for (const listener of listeners) listener(message)
    },
    send(message: ProcessMessage): void {
      const payload = JSON.stringify({ from: process, ...message })
      // If one is lost, the others still find the change on their next read of the changes.
      void connected()
        .then(connection => connection.send(statements.notify, { channel, payload }))
        .catch(() => undefined)
    },
    onMessage: (listener: (typeof listeners)[number]) => void listeners.push(listener),
  }
}
