import type { ConformanceCase } from '../conformance-case.ts'
import { CommandError } from './command-error.ts'

/** The cases with a pattern in their id or in one of their statements; all of them without a pattern. */
export function matching(cases: readonly ConformanceCase[], pattern = ''): readonly ConformanceCase[] {
  const parts = pattern.split('*').map(part => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  const wanted = new RegExp(parts.join('.*'))
  const found = cases.filter(({ id, statements }) => [id, ...statements].some(each => wanted.test(each)))
  if (found.length > 0) return found
  throw new CommandError(`No case has ${JSON.stringify(pattern)} in its id: --list shows them all.`)
}
