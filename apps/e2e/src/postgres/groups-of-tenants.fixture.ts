import { createHash, randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { inject } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'

/** The URL of a database of its own in the PostgreSQL of this run, with which it goes. */
export async function newDatabase(): Promise<string> {
  const url = new URL(inject('postgresUrl') ?? 'there is no PostgreSQL')
  const name = `group_${randomUUID().replaceAll('-', '')}`
  await connected([url.href], async ([server]) => server?.query(`create database ${name}`))
  url.pathname = `/${name}`
  return url.href
}

/** Runs something with a connection to each database. */
async function connected<Result>(
  urls: readonly string[],
  run: (clients: Client[]) => Promise<Result>,
): Promise<Result> {
  const clients = urls.map(connectionString => new Client({ connectionString }))
  try {
    await Promise.all(clients.map(client => client.connect()))
    return await run(clients)
  } finally {
    await Promise.all(clients.map(client => client.end()))
  }
}

/** The place of a tenant by its name, of so many: where one is added, only tenants move that move there. */
export function placeOf(name: string, places: number): number {
  const weights = Array.from({ length: places }, (_, place) =>
    createHash('sha256').update(`${place} ${name}`).digest('hex'),
  )
  return weights.indexOf(weights.toSorted().at(-1) ?? '')
}

/**
 * One address for sandboxes over several databases, each with its group of tenants. A call names its tenant by its path,
 * its lead or its key. It goes where the last one with the same name was known, else to its place; what is not known there
 * is asked of the others. So the router decides nothing and may forget everything: a tenant that moves is found again.
 */
export function routeTo(groups: readonly [Adapter, ...Adapter[]]): Adapter {
  const known = new Map<string, Adapter>()
  return {
    ...groups[0],
    async request(method, target, options = {}) {
      const name = nameIn(target, options)
      const first = known.get(name) ?? groups[placeOf(name, groups.length)] ?? groups[0]
      let response = await first.request(method, target, options)
      let found = first
      for (const other of groups.filter(group => group !== first)) {
        if (response.status !== 401 && response.status !== 404) break
        found = other
        response = await other.request(method, target, options)
      }
      known.set(name, found)
      return response
    },
    close: async () => undefined,
  }
}

function nameIn(target: string, { headers, body }: { headers?: Readonly<Record<string, string>>; body?: unknown }) {
  const [, ofPath] = /^(?:\/_sandbox\/v1\/tenants\/|.*\/lead\/)([^/?]+)/.exec(target) ?? []
  return ofPath ?? headers?.apikey ?? String((body as { name?: string } | undefined)?.name)
}

/**
 * Moves tenants by their rows, snapshots too, from one database to another. Their calls wait meanwhile, by the lock that a
 * reset takes; rows are numbered anew, and a version that is new has every process of the other database open them.
 */
export function moveTenants(from: string, to: string, names: readonly string[]): Promise<void> {
  return connected([from, to], async ([source, target]) => {
    if (!source || !target) return
    await source.query('begin')
    await target.query('begin')
    const keys = await namesOf(
      source,
      `select tenant as name from tenants where name = any($1)
         or snapshot_of in (select tenant from tenants where name = any($1)) for update`,
      [names],
    )
    for (const table of await contentTables(source)) {
      const columns = await namesOf(
        source,
        `select quote_ident(column_name) as name from information_schema.columns
         where table_name = $1 and table_schema = current_schema() and column_name not in ('seq', 'version')`,
        [table],
      )
      const rows = await namesOf(
        source,
        `select json_agg(row order by (to_jsonb(row) ->> 'seq')::bigint)::text as name from ${table} as row
         where tenant = any($1)`,
        [keys],
      )
      await target.query(
        `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1)`,
        [rows[0] ?? '[]'],
      )
    }
    await source.query('insert into gone (tenant) select unnest($1::text[])', [keys])
    await source.query('delete from tenants where tenant = any($1)', [keys])
    // Found in both for a moment: one waits for the lock, the other has everything.
    await target.query('commit')
    await source.query('commit')
  })
}

/** The tables with content of tenants, that of the tenants themselves first. */
async function contentTables(client: Client): Promise<string[]> {
  const tables = await namesOf(
    client,
    `select table_name as name from information_schema.columns
     where column_name = 'tenant' and table_schema = current_schema() and table_name not in ('gone', 'tenants')`,
  )
  return ['tenants', ...tables]
}

async function namesOf(client: Client, sql: string, values: unknown[] = []): Promise<string[]> {
  return (await client.query(sql, values)).rows.flatMap(({ name }) => name ?? [])
}

/** How many rows a database has of tenants, by table. */
export function storedRows(url: string, names: readonly string[]): Promise<Record<string, number>> {
  return connected([url], async ([client]) => {
    if (!client) return {}
    const counts: Record<string, number> = {}
    const keys = await namesOf(client, 'select tenant as name from tenants where name = any($1)', [names])
    for (const table of await contentTables(client)) {
      const { rows } = await client.query(`select count(*)::int as count from ${table} where tenant = any($1)`, [keys])
      counts[table] = rows[0].count
    }
    return counts
  })
}
