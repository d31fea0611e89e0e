import { statements } from '@lead-distribution/conformance'
import type { CollectedTest } from './collect-tests.ts'

const id = String.raw`(?:\d+(?:\.\d+)*|open)\/[\w.-]+`
const tag = new RegExp(String.raw`\s*\[(${id}(?:, ${id})*)\]`, 'g')

/** The statements that a test shows: its title, or that of a suite around it, names them: `[2.8/loan_amount, 7/400]`. */
export function statementsOf(name: string): string[] {
  return [...name.matchAll(tag)].flatMap(([, ids = '']) => ids.split(', '))
}

/** The title that carries the tags, without them: that of the test, or of the suite whose tests all show it. */
export function readableTitle(name: string): string {
  const titled = name.split(' > ').findLast(part => statementsOf(part).length > 0) ?? name
  return titled.replace(tag, '').trim()
}

/** Which tests show which statement, and which tags name no statement. */
export interface Coverage {
  /** The tests of each statement, in the order of their files. */
  readonly testsOf: ReadonlyMap<string, readonly CollectedTest[]>
  /** Tags that name no statement, with the file of their test. */
  readonly unknown: readonly string[]
}

/** Sorts the tests by the statements that their titles name. */
export function coverageOf(tests: readonly CollectedTest[]): Coverage {
  const testsOf = new Map(Object.keys(statements).map(id => [id, [] as CollectedTest[]]))
  const unknown = new Set<string>()
  for (const test of tests.toSorted((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0)))
    for (const id of new Set(statementsOf(test.name))) {
      const shown = testsOf.get(id)
      if (shown) shown.push(test)
      else unknown.add(`${id} in ${test.file}`)
    }
  return { testsOf, unknown: [...unknown] }
}

/** The statements that no test shows, each with its text. */
export function unshown({ testsOf }: Coverage): [id: string, text: string][] {
  return Object.entries(statements).filter(([id]) => testsOf.get(id)?.length === 0)
}
