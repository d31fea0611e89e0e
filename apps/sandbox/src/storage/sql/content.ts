import { tables as declaredTables, type RawTenant, type Table, type Value } from '@lead-distribution/simulator'
import { columnsOf, indexOf, writtenColumns } from './schema.ts'
import { type Executor, type Statement, statement, type Transactor } from './statement.ts'

/** The values of some columns, by the names that a statement has for them. */
type Place = Record<string, Value>

/** A value below every other. */
const lowest = { text: '', integer: Number.MIN_SAFE_INTEGER }

/** A statement for a step of a table, and for all behind a place. */
interface Parts<Params, Row> {
  readonly step: Statement<Params, Row>
  readonly rest: Statement<Params, Row>
}

/**
 * The statements by which a table is worked through in steps, along an index. Places are compared as a whole:
 * `(due_at, seq) > (:after_0, :after_1)`. Leases are not copied, and rows are renumbered.
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
  // What other processes follow is not what was copied.
  const [version, noVersion] = table.isFollowed ? [', version', ', null'] : ['', '']
  return {
    name,
    /** The place before every row. */
    start: Object.fromEntries(on.map((column, index) => [`after_${index}`, lowest[types[column] ?? 'integer']])),
    /** The end of a step; no row if less than a whole step is left. */
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

/** The target duration of a step, milliseconds: it blocks everything else. */
const stepMs = 2
const [fewestRows, maxRows] = [8, 4096]

type Transact = Transactor['transact']

/**
 * Works through the rows of a key in a table, in steps that are each a transaction of its own, until one returns false. It
 * gets the statement's part and parameters. The number of rows follows from how long the last step took.
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

/** Copies all content as it was at one time, while others write: only PostgreSQL takes writes to many tables at once. */
const copyAll = statement<{ from: string; to: string }>(
  `with ${tables.map(({ name, copyAll }) => `copied_${name} as (${copyAll})`).join(', ')} select`,
)

/**
 * Copies all content of one key to another, which has none. The database does it: no row is read into memory. In one piece,
 * it is one statement, which is for a transaction that nobody waits for.
 */
export async function copyContent(
  transact: Transact,
  { from, to, inOnePiece }: { from: string; to: string; inOnePiece: boolean },
): Promise<void> {
  if (inOnePiece) return void (await transact(db => db.run(copyAll, { from, to })))
  for (const table of tables)
    await inSteps(transact, table, from, (db, part, params) => db.run(table.copy[part], { to, ...params }))
}

/** Reads all content of a key as it is stored, by table; undefined where it is more than so many characters of JSON. */
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
      // A row of the database has no prototype.
      if (left >= 0) all.push(...found.map(row => ({ ...row })))
      return left >= 0
    })
    content[table.name] = all
  }
  return left < 0 ? undefined : content
}

/** Removes all content of a key. A step begins where the last one ended: PostgreSQL would read what is already removed. */
export async function removeContent(transact: Transact, tenant: string): Promise<void> {
  for (const table of tables)
    await inSteps(transact, table, tenant, (db, part, params) => db.run(table.remove[part], params))
}
