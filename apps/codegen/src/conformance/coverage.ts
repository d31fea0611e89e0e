import { statements } from '@lead-distribution/conformance'
import type { CollectedTest } from './collect-tests.ts'
import { statementsOf } from './tags.ts'

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
