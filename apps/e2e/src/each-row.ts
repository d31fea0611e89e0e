import { inspect } from 'node:util'

/**
 * Checks every row of a table in one test, and reports each failing row with its values. A row that is a list is
 * spread over the parameters, as `it.each` does it.
 */
export async function eachRow<Row extends readonly unknown[] | [unknown]>(
  rows: readonly Row[],
  check: (...row: Row) => unknown,
): Promise<void>
export async function eachRow<Row>(rows: readonly Row[], check: (row: Row) => unknown): Promise<void>
export async function eachRow(rows: readonly unknown[], check: (...row: never[]) => unknown): Promise<void> {
  const failures: [row: string, error: unknown][] = []
  for (const row of rows)
    try {
      await (Array.isArray(row) ? check(...(row as never[])) : check(row as never))
    } catch (error) {
      failures.push([inspect(row, { breakLength: 120 }), error])
    }
  if (failures.length === 0) return
  const lines = failures.map(([row, error]) => `- ${row}: ${error instanceof Error ? error.message : error}`)
  const [[, cause] = []] = failures
  throw new Error(`${failures.length} of ${rows.length} rows fail:\n${lines.join('\n')}`, { cause })
}
