import { type Table, tables } from '@lead-distribution/simulator'
import { Client } from 'pg'
import { expect, onTestFinished, vi } from 'vitest'
import { columnsOf } from '../sql/schema.ts'
import { emptyDatabase } from './database.fixture.ts'
import { openPostgresStorage } from './postgres-storage.ts'

/** A statement as sent, with the parameters of one execution. */
interface Sent {
  readonly text: string
  readonly values: readonly unknown[]
}

/** Statements that may scan a whole table: how each starts, and the reason. */
const allowed: readonly (readonly [sql: RegExp, reason: string])[] = [
  [/^select name, record from tenants/, 'lists every tenant'],
  [/^select count\(\*\) as count from reports/, 'counts the backlog'],
  [/^update reports set due_at = due_at - /, 'changes the backlog'],
  [/^insert into \w+ \(tenant, .* order by/s, 'a copy of a tenant, in one piece'],
  [/^delete from \w+ where tenant = \$1 and \(\S+(, \S+)?\) > \([^<]*$/, 'the rest of a removal, less than a step'],
  [/^delete from gone/, 'once per connection, deletions within a day'],
]

/** Checks each statement sent in this test when the test ends: over a full database, an index must find its rows. */
export function expectIndexes(): void {
  const sending = vi.spyOn(Client.prototype, 'query')
  onTestFinished(async () => {
    const sent = sending.mock.calls.flatMap(([query]: unknown[]) => (isStatement(query) ? [query] : []))
    sending.mockRestore()
    expect(await withoutIndex(sent)).toEqual([])
  })
}

const isStatement = (query: unknown): query is Sent =>
  typeof query === 'object' && /^(select|insert|update|delete|with)\b/.test((query as Sent).text.trim())

const known = new Map<string, string[]>()

/** Finds statements without an index, over a database filled by {@link fill} and analyzed. */
export async function withoutIndex(sent: readonly Sent[]): Promise<string[]> {
  const unknown = sent.filter(({ text }) => !known.has(text))
  if (unknown.length > 0) {
    const client = new Client({ connectionString: await filled() })
    await client.connect()
    try {
      for (const each of unknown) known.set(each.text, await scansOf(client, each))
    } finally {
      await client.end()
    }
  }
  return [...new Set(sent.map(({ text }) => text))].flatMap(text =>
    allowed.some(([begins]) => begins.test(text)) ? [] : (known.get(text) ?? []).map(scan => `${scan}: ${text}`),
  )
}

/** PostgreSQL uses the generic plan if it is no more expensive than planning for the actual parameters. */
async function scansOf(client: Client, { text, values }: Sent): Promise<string[]> {
  const any = await planOf(client, `explain (generic_plan, format json) ${text}`)
  const these = await planOf(client, `explain (format json) ${text}`, typical({ text, values }))
  const isReused = any['Total Cost'] < these['Total Cost'] + planningCost
  return [...new Set([...scansIn(these), ...(isReused ? scansIn(any) : [])])]
}

async function planOf(client: Client, text: string, values?: unknown[]): Promise<Plan> {
  return (await client.query(text, values)).rows[0]['QUERY PLAN'][0].Plan
}

/** More than the cost that PostgreSQL assigns to planning any of our statements: 2.5 per table. */
const planningCost = 25

const largest = 'tenant-1'

/**
 * Returns the parameters for a full database. The content key is that of the tenant with all the leads, the most data
 * to read; and a check is not the first one, which reads everything.
 */
function typical({ text, values }: Sent): unknown[] {
  if (/version >= \$1/.test(text)) return [Number.MAX_SAFE_INTEGER]
  // Some time ago, so that there is little to remove, whenever the database was filled.
  if (/delete from stream_events/.test(text)) return [3_600_000]
  if (/as pg_snapshot/.test(text)) return ['9000000000:9000000000:']
  return values.map(value => (/^(\/[\w-]{12}|t1|t2)$/.test(String(value)) ? largest : value))
}

/** A step of a plan, as PostgreSQL explains it. */
interface Plan {
  readonly 'Node Type': string
  readonly 'Total Cost': number
  readonly 'Relation Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly Plan[]
}

/**
 * Returns the tables that are scanned row by row or over a whole index. With a limit, an index may provide the first
 * rows.
 */
function scansIn(plan: Plan, parent?: Plan): string[] {
  const { 'Node Type': type, 'Relation Name': table, 'Index Cond': condition } = plan
  // Tables with one row per migration or per process.
  const isSmall = /^(pg_|sandbox_versions|stream_readers)/.test(table ?? '')
  const isWholeIndex = /^(Bitmap )?Index/.test(type) && !condition && parent?.['Node Type'] !== 'Limit'
  const isWhole = !isSmall && (type === 'Seq Scan' || isWholeIndex)
  const inner = (plan.Plans ?? []).flatMap(each => scansIn(each, plan))
  return isWhole ? [`${type} of ${table}`, ...inner] : inner
}

let filling: Promise<string> | undefined

/** Returns the URL of a database in which one tenant has 20,000 leads and 2,000 have none; filled once. */
function filled(): Promise<string> {
  filling ??= (async () => {
    const url = await emptyDatabase()
    await (await openPostgresStorage(url)).close()
    const client = new Client({ connectionString: url })
    await client.connect()
    for (const sql of fill) await client.query(sql)
    await client.query('analyze')
    await client.end()
    return url
  })()
  return filling
}

const [tenantRows, rows] = ['generate_series(1, 2000) as n', 'generate_series(1, 20000) as n']

/** Tables of which a tenant has only a few rows. */
const small = new Set(['coverage', 'documents'])

/** Fills a declared table; a tenth of the rows are in its partial indexes. */
function fillTable(table: Table): string {
  const conditions: Readonly<Record<string, string>> = Object.assign(
    {},
    ...Object.values(table.indexes).map(({ where }) => where),
  )
  const values = columnsOf(table).map(({ name, type }) => {
    const condition = conditions[name]
    if (condition !== undefined) return `case n % 10 when 0 then '${condition}' else 'other' end`
    return type === 'text' ? "lpad(n::text, 8, '0')" : 'n'
  })
  const columns = columnsOf(table).map(({ name }) => name)
  const data = table.isFlat ? [[], []] : [['data'], ["repeat('x', 300)"]]
  const tenant = small.has(table.name) ? "'tenant-' || n % 2000" : `'${largest}'`
  return `insert into ${table.name} (tenant, ${[...columns, ...(data[0] ?? [])].join(', ')})
    select ${[tenant, ...values, ...(data[1] ?? [])].join(', ')} from ${rows}`
}

/** The content of a busy sandbox: every growing table is long, and most callbacks are delivered. */
const fill = [
  `insert into tenants (tenant, name, record) select 'tenant-' || n, 'name-' || n, repeat('x', 500) from ${tenantRows}`,
  ...tables.map(fillTable),
  `insert into leases (name, holder, until) select 'name-' || n || ' clock', n, n from ${tenantRows}`,
  `insert into stream_events (events) select repeat('x', 300) from ${rows}`,
  `insert into counters (tenant, series, next)
   select 'tenant-' || n, series, 1 from ${tenantRows}, unnest(array['leads', 'callbacks', 'jobs']) as series`,
  `insert into gone (tenant) select 'gone-' || n from ${tenantRows}`,
]
