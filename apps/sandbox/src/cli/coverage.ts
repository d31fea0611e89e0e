import type { Command } from 'commander'
import { sandboxVerb } from './connection/sandbox-verb.ts'
import type { Reply, Session } from './connection/session.ts'
import { paint } from './printing/paint.ts'
import { table } from './printing/table.ts'
import { writeReport } from './printing/write-report.ts'

/** `lead-sandbox coverage`. */
export function describeCoverage(command: Command): void {
  command.option('--junit <file>', 'also write it as a JUnit document, for build servers')
  sandboxVerb(command, ['coverage', 'coverage --junit coverage.xml'], coverage)
}

async function coverage(session: Session, { junit }: { readonly junit?: string }): Promise<void> {
  const reply = await session.ask<'showCoverage'>('GET', ['coverage'])
  await writeReport(junit, async () => (await import('./coverage-junit.ts')).coverageJunit(reply))
  session.print(reply, told)
}

function told({ seen, total, items }: Reply<'showCoverage'>): string {
  const rows = items.map(({ kind, name, count, how }) => [
    kind,
    name,
    count > 0 ? paint('green', String(count)) : paint('red', '0'),
    count > 0 ? '' : how,
  ])
  return `${table(['kind', 'name', 'seen', 'how to see it'], rows)}\n\nSeen: ${seen} of ${total}.`
}
