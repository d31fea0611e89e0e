import type { RawTenant } from '@lead-distribution/simulator'
import { type Executor, statement, type TenantKey, type Transactor, type Value } from './statement.ts'

/** The values of some columns, by the names that a statement has for them. */
type Place = Record<string, Value>

/** A table with content of tenants, and how it is worked through in steps. */
interface ContentTable {
  /** What a copy takes, besides the tenant. Leases are not copied, and rows are numbered anew. */
  readonly columns: string
  /**
   * The columns of an index, behind the tenant, that steps follow, each with a value below every other. Rows that have
   * them alike are of one step.
   */
  readonly steps: Place
  /** The order in which the rows of a step are added. */
  readonly order: string
}

const lowest = Number.MIN_SAFE_INTEGER

const contentTables: Readonly<Record<string, ContentTable>> = {
  customers: { columns: 'email, product_id, lead_id, refused_at', steps: { email: '' }, order: 'email' },
  leads: {
    columns: 'lead_id, product_id, email, status, rejection_reason, received_at, submission, trace, deliveries',
    steps: { lead_id: '' },
    order: 'lead_id',
  },
  events: {
    columns: 'lead_id, advertiser_id, event, recorded_at, report',
    steps: { lead_id: '' },
    order: 'seq',
  },
  callbacks: {
    columns: 'callback_id, lead_id, event, url, state, due_at, attempts, held, resent_after',
    steps: { lead_id: '' },
    order: 'seq',
  },
  inbox: { columns: 'entry', steps: { seq: lowest }, order: 'seq' },
  requests: { columns: '"first", "last", entries', steps: { '"first"': lowest }, order: '"first"' },
  reports: {
    columns: 'report_id, lead_id, advertiser_id, event, due_at',
    steps: { due_at: lowest, seq: lowest },
    order: 'due_at, seq',
  },
  chains: { columns: 'chain, plays', steps: { chain: '' }, order: 'chain' },
  documents: { columns: 'name, value', steps: { name: '' }, order: 'name' },
}

/** The statements for one table. Places are compared as a whole: `(due_at, seq) > (:after_0, :after_1)`. */
function tableStatements(table: string, { columns, steps, order }: ContentTable) {
  const place = Object.keys(steps).join(', ')
  const each = (write: (column: string, index: number) => string) => Object.keys(steps).map(write).join(', ')
  const after = `from ${table} where tenant = :from and (${place}) > (${each((_, index) => `:after_${index}`)})`
  const copy = `insert into ${table} (tenant, ${columns}) select :to, ${columns} ${after}`
  const read = `select ${columns} ${after}`
  return {
    /** Where a step ends; no row where less than a whole step is left. */
    stepEnd: statement<Place, Place>(
      `select ${each((column, index) => `${column} as upto_${index}`)} ${after} order by ${place} limit 1 offset :rows`,
    ),
    copyStep: statement<Place>(`${copy} and (${place}) <= (${each((_, index) => `:upto_${index}`)}) order by ${order}`),
    copyRest: statement<Place>(`${copy} order by ${order}`),
    readStep: statement<Place, Place>(
      `${read} and (${place}) <= (${each((_, index) => `:upto_${index}`)}) order by ${order}`,
    ),
    readRest: statement<Place, Place>(`${read} order by ${order}`),
    removeStep: statement<TenantKey & { rows: number }>(
      `delete from ${table} where tenant = :tenant and (${place}) in (
         select ${place} from ${table} where tenant = :tenant order by ${place} limit :rows)`,
    ),
  }
}

const tables = Object.entries(contentTables).map(([table, content]) => ({
  table,
  /** The place before every row. */
  start: renamed(Object.values(content.steps), 'after'),
  ...tableStatements(table, content),
}))

function renamed(values: Value[], name: string): Place {
  return Object.fromEntries(values.map((value, index) => [`${name}_${index}`, value]))
}

/** How long a step is to take, milliseconds: it keeps everything else waiting. */
const stepMs = 5
const [fewestRows, mostRows] = [8, 4096]

type Transact = Transactor['transact']

/**
 * Runs steps, each in a transaction of its own and with what the one before returned, until one returns nothing. Their
 * number of rows follows from how long the last one took.
 */
async function inSteps<State>(
  transact: Transact,
  first: State,
  step: (db: Executor, rows: number, state: State) => Promise<State | undefined>,
): Promise<void> {
  let rows = 64
  for (let state: State | undefined = first; state !== undefined; ) {
    const before: State = state
    const { after, ms } = await transact(async db => {
      const start = performance.now()
      const after = await step(db, rows, before)
      return { after, ms: performance.now() - start }
    })
    state = after
    rows = Math.round(Math.min(mostRows, Math.max(fewestRows, rows * Math.min(2, stepMs / ms))))
  }
}

/** Copies all content of one key to another, which has none. The database does it: no row is read into memory. */
export async function copyContent(transact: Transact, { from, to }: { from: string; to: string }): Promise<void> {
  for (const { start, stepEnd, copyStep, copyRest } of tables)
    await inSteps(transact, start, async (db, rows, after) => {
      const end = await db.first(stepEnd, { from, rows, ...after })
      if (end) await db.run(copyStep, { from, to, ...after, ...end })
      else await db.run(copyRest, { from, to, ...after })
      return end && renamed(Object.values(end), 'after')
    })
}

/** Reads all content of a key as it is stored, by table; undefined where it is more than so many characters of JSON. */
export async function readContent(
  transact: Transact,
  from: string,
  maxCharacters: number,
): Promise<RawTenant['tables'] | undefined> {
  const content: Record<string, RawTenant['tables'][string]> = {}
  let left = maxCharacters
  for (const { table, start, stepEnd, readStep, readRest } of tables) {
    const all: Place[] = []
    await inSteps(transact, start, async (db, rows, after) => {
      const end = await db.first(stepEnd, { from, rows, ...after })
      const found = end
        ? await db.all(readStep, { from, ...after, ...end })
        : await db.all(readRest, { from, ...after })
      left -= JSON.stringify(found).length
      // A row of the database has no prototype.
      if (left >= 0) all.push(...found.map(row => ({ ...row })))
      return left < 0 ? undefined : end && renamed(Object.values(end), 'after')
    })
    content[table] = all
  }
  return left < 0 ? undefined : content
}

/** Removes all content of a key. */
export async function removeContent(transact: Transact, tenant: string): Promise<void> {
  for (const { removeStep } of tables)
    await inSteps(transact, true, async (db, rows) => (await db.run(removeStep, { tenant, rows })) > 0 || undefined)
}
