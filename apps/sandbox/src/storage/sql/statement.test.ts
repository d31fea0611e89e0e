import { DatabaseSync } from 'node:sqlite'
import { type PageRange, type Table, tables } from '@lead-distribution/simulator'
import { expect, it } from 'vitest'
import { withoutIndex } from '../contract/query-plans.fixture.ts'
import { schema, sqliteDialect } from './schema.ts'
import { numbered, positional } from './statement.ts'
import { statementsOf } from './table-statements.ts'
import { tenantStatements } from './tenants.ts'

const statements = Object.entries(tenantStatements)

it("replaces parameter names by the driver's placeholders, and leaves casts alone", () => {
  const sql = 'select :a::text where b = :b_c and c = :a'
  expect(positional(sql)).toEqual({ sql: 'select ?::text where b = ? and c = ?', names: ['a', 'b_c', 'a'] })
  expect(numbered(sql)).toEqual({ sql: 'select $1::text where b = $2 and c = $1', names: ['a', 'b_c'] })
  expect([positional('commit'), numbered('commit')]).toEqual(Array(2).fill({ sql: 'commit', names: [] }))
})

it.each(statements)('%s is valid for the tables', (_name, { sql }) => {
  const database = new DatabaseSync(':memory:')
  database.exec(schema(sqliteDialect))
  const { sql: prepared, names } = positional(sql)
  database.prepare(prepared)
  expect(prepared).not.toMatch(/:/)
  expect(prepared.split('?')).toHaveLength(names.length + 1)
  database.close()
})

it.each([
  ['select * from leads where tenant = ? and lead_id < ? and (? is null or email = ?)', /^compares email/],
  ['select * from leads where status = ? order by lead_id', /^SCAN leads/],
  ['select * from leads where tenant = ? order by received_at', /^USE TEMP B-TREE/],
])('detects a search without an index: %s', (sql, step) => {
  expect(withoutIndex(sql)).toContainEqual(expect.stringMatching(step))
})

const ranges = (columns: number, isWhole: boolean): PageRange[] => {
  const values = Array.from({ length: columns }, () => 1)
  const bounds = [{}, { after: values }, { before: [1], order: 'descending' as const }]
  return [...bounds, ...(isWhole ? [{ from: [1], through: [1] }] : [])].flatMap(bound => [
    bound,
    { ...bound, limit: 1 },
  ])
}

/** Returns every statement generated from a table's declaration. */
function statementsFrom(table: Table) {
  const { insert, claim, put, get, getLocked, add, scan, count, remove } = statementsOf(table)
  const byIndex = Object.entries(table.indexes).flatMap(([index, { on }]) =>
    on.flatMap((_, places) =>
      ranges(on.length - places, places === 0).flatMap(range => {
        const of = Array.from({ length: places }, () => 1)
        return [scan(index, { of, ...range }), remove(index, { of, ...range }), count(index)]
      }),
    ),
  )
  return [insert, claim, put, get, getLocked, add(table.key[0] ?? ''), ...byIndex]
}

it.each(tables.map(table => [table.name, table] as const))('%s is read and changed by its indexes', (_name, table) => {
  const all = statementsFrom(table).map(({ sql }) => positional(sql).sql)
  expect(all.flatMap(withoutIndex)).toEqual([])
})
