import { tables as declaredTables, type RawTenant, type Table, type Value } from '@lead-distribution/simulator'
import { columnsOf, indexOf, writtenColumns } from './schema.ts'
import { type Executor, type Statement, statement, type Transactor } from './statement.ts'

/** Column values, by their parameter names. */
type Place = Record<string, Value>

/** A value that sorts before any other. */
const lowest = { text: '', integer: Number.MIN_SAFE_INTEGER }

/** A statement for one step through a table, and one for the rest of the table. */
interface Parts<Params, Row> {
  readonly step: Statement<Params, Row>
  readonly rest: Statement<Params, Row>
}

/**
 * The statements for processing a table in steps along an index. Positions are compared as rows: `(due_at, seq) >
 * (:after_0, :after_1)`. Leases are not copied, and copied rows get new numbers.
 */
function stepsOf(table: Table) {
  const { name } = table
  const types = Object.fromEntries(columnsOf(table).map(({ name, type }) => [name, type]))
  const on = indexOf(table, table.copyBy).on
  const place = on.join(', ')
  const copied = writtenColumns(table)
    .filter(column => !table.leases.includes(column))
    .join(', ')
  const each = (write: (column: string, index: number) => string) => on.map(write).join(', ')
  const after = `from ${name} where tenant = :from and (${place}) > (${each((_, index) => `:after_${index}`)})`
  const end = `and (${place}) <= (${each((_, index) => `:upto_${index}`)})`
  const parts = <Row = never>(sql: string, order = ''): Parts<Place, Row> => ({
    step: statement(`${sql} ${after} ${end} ${order}`),
    rest: statement(`${sql} ${after} ${order}`),
  })
  // Copied rows must not appear in the changes that other processes read.
  const [version, noVersion] = table.isFollowed ? [', version', ', null'] : ['', '']
  return {
    name,
    /** The position before every row. */
    start: Object.fromEntries(on.map((column, index) => [`after_${index}`, lowest[types[column] ?? 'integer']])),
    /** The end of a step; no row if less than a full step is left. */
    stepEnd: statement<Place, Place>(
      `select ${each((column, index) => `${column} as upto_${index}`)} ${after} order by ${place} limit 1 offset :rows`,
    ),
    copy: parts(`insert into ${name} (tenant, ${copied}) select :to, ${copied}`, `order by ${place}`),
    copyAll: `insert into ${name} (tenant, ${copied}${version})
      select :to, ${copied}${noVersion} from ${name} where tenant = :from order by ${place}`,
    read: parts<Place>(`select ${copied}`, `order by ${place}`),
    remove: parts('delete'),
  }
}

const tables = declaredTables.map(stepsOf)

function renamed(values: Value[], name: string): Place {
  return Object.fromEntries(values.map((value, index) => [`${name}_${index}`, value]))
}

/** The target duration of a step, milliseconds, because it blocks everything else. */
const stepMs = 2
const [fewestRows, maxRows] = [8, 4096]

type Transact = Transactor['transact']

/**
 * Processes a key's rows in a table in steps, each in its own transaction, until one returns false. It gets the
 * statement's variant and parameters. The number of rows adapts to the duration of the last step.
 */
async function inSteps(
  transact: Transact,
  { start, stepEnd }: (typeof tables)[number],
  from: string,
  step: (db: Executor, part: keyof Parts<Place, never>, params: Place) => Promise<unknown>,
): Promise<void> {
  let rows = 64
  for (let after: Place | undefined = start; after; ) {
    const params: Place = { from, ...after }
    const { next, ms } = await transact(async db => {
      const begin = performance.now()
      const end = await db.first(stepEnd, { ...params, rows })
      const goesOn = await step(db, end ? 'step' : 'rest', { ...params, ...end })
      const next = goesOn !== false && end ? renamed(Object.values(end), 'after') : undefined
      return { next, ms: performance.now() - begin }
    })
    after = next
    rows = Math.round(Math.min(maxRows, Math.max(fewestRows, rows * Math.min(2, stepMs / ms))))
  }
}

/**
 * Copies a consistent version of all content while others write: only PostgreSQL can write to several tables in one
 * statement.
 */
const copyAll = statement<{ from: string; to: string }>(
  `with ${tables.map(({ name, copyAll }) => `copied_${name} as (${copyAll})`).join(', ')} select`,
)

/**
 * Copies all content from one key to another, which is empty, within the database. `inOnePiece` uses a single
 * statement, for a transaction that blocks nobody.
 */
export async function copyContent(
  transact: Transact,
  { from, to, inOnePiece }: { from: string; to: string; inOnePiece: boolean },
): Promise<void> {
  if (inOnePiece) return void (await transact(db => db.run(copyAll, { from, to })))
  for (const table of tables)
    await inSteps(transact, table, from, (db, part, params) => db.run(table.copy[part], { to, ...params }))
}

/** Reads a key's content as stored, by table; undefined if it exceeds a number of characters as JSON. */
export async function readContent(
  transact: Transact,
  from: string,
  maxCharacters: number,
): Promise<RawTenant['tables'] | undefined> {
  const content: Record<string, RawTenant['tables'][string]> = {}
  let left = maxCharacters
  for (const table of tables) {
    const all: Place[] = []
    await inSteps(transact, table, from, async (db, part, params) => {
      const found = await db.all(table.read[part], params)
      left -= JSON.stringify(found).length
      // Database rows have no prototype.
      if (left >= 0) all.push(...found.map(row => ({ ...row })))
      return left >= 0
    })
    content[table.name] = all
  }
  return left < 0 ? undefined : content
}

/**
 * Removes a key's content. Each step starts where the last one ended, because PostgreSQL would scan removed rows again.
 */
export async function removeContent(transact: Transact, tenant: string): Promise<void> {
  for (const table of tables)
    await inSteps(transact, table, tenant, (db, part, params) => db.run(table.remove[part], params))
}
