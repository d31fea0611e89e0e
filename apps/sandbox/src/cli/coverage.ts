import type { ControlReply } from '@lead-distribution/simulator'
import type { Command } from 'commander'
import { type Session, sandboxVerb } from './connection/sandbox-verb.ts'
import { paint } from './printing/paint.ts'
import { writeReport } from './printing/printing.ts'
import { table } from './printing/table.ts'

/** `lead-sandbox coverage`. */
export function describeCoverage(command: Command): void {
  command.option('--junit <file>', 'also write it as a JUnit document, for build servers')
  sandboxVerb(command, ['coverage', 'coverage --junit coverage.xml'], coverage)
}

async function coverage({ tenant, print }: Session, { junit }: { readonly junit?: string }): Promise<void> {
  const reply = await tenant.coverage()
  await writeReport(junit, async () => (await import('./coverage-junit.ts')).coverageJunit(reply))
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
