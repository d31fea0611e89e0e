import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, vi } from 'vitest'
import { schema, sqliteDialect } from '../sql/schema.ts'

/** Statements that need no index: their start, the reported finding, and the reason why little data is affected. */
const allowed: readonly (readonly [sql: RegExp, found: RegExp, reason: string])[] = [
  [
    /^select .* from leads where tenant = \? and lead_id in \( select lead_id from \( select/,
    /^SCAN newest$|^compares (received_at|status|product_id|rejection_reason|email)$/,
    'a bounded number of entries of an index',
  ],
  [
    /^select .* from \( ?select .* limit \?\) as newest where .* group by /,
    /^SCAN newest$|^USE TEMP B-TREE FOR GROUP BY|^compares (received_at|tried_at)$/,
    'a bounded number of rows',
  ],
  [
    /^select oldest\.callback_id.* from callbacks /,
    /^compares leased_until/,
    'only the callbacks in flight are leased',
  ],
]

const readsTables = (sql: string) => /^(select|insert|update|delete)\b/.test(sql) && !/sqlite_schema/.test(sql)

/** Checks each statement prepared in this test when the test ends: an index must find and sort its rows. */
export function expectIndexes(): void {
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare')
  onTestFinished(() => {
    const prepared = new Set(prepare.mock.calls.map(([sql]) => sql.replaceAll(/\s+/g, ' ')).filter(readsTables))
    prepare.mockRestore()
    expect([...prepared].flatMap(withoutIndex)).toEqual([])
  })
}

const known = new Map<string, string[]>()

/** Returns the steps of a statement that use no index: full scans, sorts, and columns compared row by row. */
export function withoutIndex(sql: string): string[] {
  const found = known.get(sql) ?? [...slowSteps(sql), ...rowByRow(sql)]
  known.set(sql, found)
  const isAllowed = (step: string) => allowed.some(([begins, of]) => begins.test(sql) && of.test(step))
  return found.filter(step => !isAllowed(step)).map(step => `${step}: ${sql}`)
}

function slowSteps(sql: string): string[] {
  return planOf(sql).filter(step => /^SCAN (?!CONSTANT ROW)|TEMP B-TREE/.test(step))
}

/** Returns the columns compared with a parameter without an index. */
function rowByRow(sql: string): string[] {
  const [, where = ''] = sql.split(/\bwhere\b(.*)/)
  const compared = [...where.matchAll(/"?(\w+)"?(?: \|\| '')? (?:=|<|>|<=|>=) \?/g)].map(([, column]) => column)
  const plan = planOf(sql).join()
  return compared
    .filter(column => !new RegExp(`\\b${column}[=<>]\\?|rowid`).test(plan))
    .map(column => `compares ${column}`)
}

function planOf(sql: string): string[] {
  const database = new DatabaseSync(':memory:')
  database.exec(schema(sqliteDialect))
  const plan = database.prepare(`explain query plan ${sql}`).all()
  database.close()
  return plan.map(({ detail }) => String(detail))
}
