import { junitDocument } from '@lead-distribution/junit'
import type { ControlReply } from '@lead-distribution/simulator'

/**
 * The coverage as a JUnit document: a suite for each kind, a case for each item, and a failure for each item that was
 * not seen, with how to see it.
 */
export function coverageJunit({ items }: Pick<ControlReply<'showCoverage'>, 'items'>): string {
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
