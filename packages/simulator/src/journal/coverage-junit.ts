import { junitDocument } from '@lead-distribution/contract/junit'
import type { CoverageView } from './coverage.ts'

/**
 * The coverage as a JUnit document: a suite for each kind, a case for each thing, and a failure that says how to see it
 * for each that was not seen.
 */
export function coverageJunit({ items }: CoverageView): string {
  const kinds = [...new Set(items.map(({ kind }) => kind))]
  return junitDocument({
    name: 'coverage',
    suites: kinds.map(kind => ({
      name: kind,
      cases: items
        .filter(item => item.kind === kind)
        .map(({ name, count, how }) => ({
          name,
          failure: count > 0 ? undefined : { type: 'unseen', message: `${name} was not seen. ${how}` },
        })),
    })),
  })
}
