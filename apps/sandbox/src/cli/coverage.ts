import { coverageJunit } from '@lead-distribution/contract/junit'
import type { ControlReply } from '@lead-distribution/simulator'
import { type Origin, origins } from '@lead-distribution/simulator/origin'
import { type Command, Option } from 'commander'
import { CommandError, exitCodes } from './exit-codes.ts'
import { paint, table, writeReport } from './printing.ts'
import { type Session, sandboxVerb } from './sandbox-verb.ts'
import { fromZeroTo } from './values.ts'

type Coverage = Pick<ControlReply<'showCoverage'>, 'seen' | 'total' | 'items'>
type Item = Coverage['items'][number]

interface Flags {
  readonly junit?: string
  readonly allTenants?: boolean
  readonly prefix?: string
  readonly origin?: Origin
  /** Percent. */
  readonly min?: number
  readonly require: readonly string[]
}

export function describeCoverage(command: Command): void {
  command
    .option('--all-tenants', 'the coverage of all tenants together, such as those of parallel tests')
    .option('--prefix <name>', 'with --all-tenants: only tenants whose name starts with this')
    .addOption(
      new Option('--origin <origin>', 'what the console or the command line did, in place of your integration').choices(
        origins,
      ),
    )
    .option('--min <percent>', 'exit with 1 if less was seen', fromZeroTo(100))
    .addOption(
      new Option('--require <name>', 'exit with 1 if this item was not seen, such as age_restriction; repeatable')
        .default([], 'nothing')
        .argParser((names: string, before: string[]) => [...before, ...names.split(',')]),
    )
    .option('--junit <file>', 'also write the coverage as JUnit XML: unseen items are skipped, or failed if required')
  sandboxVerb(
    command,
    ['coverage', 'coverage --junit coverage.xml', 'coverage --all-tenants --min 80 --require age_restriction'],
    coverage,
  )
}

async function coverage({ tenant, sandbox, print }: Session, flags: Flags): Promise<void> {
  const { junit, allTenants, prefix, origin, min = 0, require } = flags
  if (prefix !== undefined && !allTenants) throw new CommandError('--prefix requires --all-tenants.', exitCodes.usage)
  const reply: Coverage = allTenants ? await sandbox.coverage({ prefix, origin }) : await tenant.coverage({ origin })
  const { seen, total, items } = reply
  const required = items.filter(isNamedBy(require))
  const unknown = require.find(name => !items.some(isNamedBy([name])))
  if (unknown !== undefined)
    throw new CommandError(
      `--require names an unknown item (got '${unknown}'). To list the items: lead-sandbox coverage.`,
      exitCodes.usage,
    )
  await writeReport(junit, async () => coverageJunit(items, required))
  print(reply, coverageTable)
  const missing = required.filter(({ count }) => count === 0).map(({ name, how }) => `${name} was not seen. ${how}`)
  const share = Math.floor((seen / total) * 100)
  if (share < min) missing.push(`Coverage is ${share} %, below --min ${min} %.`)
  if (missing.length > 0) throw new CommandError(missing.join('\n'))
}

/** Matches items by name: `age_restriction`, or with its kind `reason/age_restriction`. */
const isNamedBy = (names: readonly string[]) => (item: Item) =>
  names.includes(item.name) || names.includes(`${item.kind}/${item.name}`)

function coverageTable({ seen, total, items }: Coverage): string {
  const rows = items.map(({ kind, name, count, how }) => [
    kind,
    name,
    count > 0 ? paint('green', String(count)) : paint('red', '0'),
    count > 0 ? '' : how,
  ])
  return `${table(['kind', 'name', 'seen', 'how to see it'], rows)}\n\nSeen: ${seen} of ${total}.`
}
