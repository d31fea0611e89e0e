import { junitDocument } from '@lead-distribution/junit'
import type { ControlReply } from '@lead-distribution/simulator'
import type { Command } from 'commander'
import { paint } from './printing/paint.ts'
import { writeReport } from './printing/printing.ts'
import { table } from './printing/table.ts'
import { type Session, sandboxVerb } from './sandbox-verb.ts'

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

/** `lead-sandbox coverage`. */
export function describeCoverage(command: Command): void {
  command.option('--junit <file>', 'also write it as a JUnit document, for build servers')
  sandboxVerb(command, ['coverage', 'coverage --junit coverage.xml'], coverage)
}

async function coverage({ tenant, print }: Session, { junit }: { readonly junit?: string }): Promise<void> {
  const reply = await tenant.coverage()
  await writeReport(junit, async () => coverageJunit(reply))
  print(reply, coverageTable)
}

function coverageTable({ seen, total, items }: ControlReply<'showCoverage'>): string {
  const rows = items.map(({ kind, name, count, how }) => [
    kind,
    name,
    count > 0 ? paint('green', String(count)) : paint('red', '0'),
    count > 0 ? '' : how,
  ])
  return `${table(['kind', 'name', 'seen', 'how to see it'], rows)}\n\nSeen: ${seen} of ${total}.`
}
