import { coverageJunit } from '@lead-distribution/contract/junit'
import type { ControlReply } from '@lead-distribution/simulator'
import { origins } from '@lead-distribution/simulator/origin'
import { CommandError, exitCodes } from '../exit-codes.ts'
import { flag, oneOf, onOff, repeatable } from '../flags.ts'
import { paint, table, writeReport } from '../printing.ts'
import { verb } from '../run-verb.ts'
import { fromZeroTo } from '../values.ts'

type Coverage = Pick<ControlReply<'showCoverage'>, 'seen' | 'total' | 'items'>
type Item = Coverage['items'][number]

export const coverage = verb({
  takes: {
    allTenants: onOff('the combined coverage of all tenants, such as those of parallel tests'),
    prefix: flag('<name>', 'with --all-tenants: only tenants whose name starts with this'),
    origin: oneOf(
      flag('<origin>', 'coverage by the console or the command line, instead of your integration'),
      origins,
    ),
    min: flag('<percent>', 'exit with 1 if coverage is lower', fromZeroTo(100)),
    require: repeatable(
      '<name>',
      'exit with 1 if this item was not seen, such as age_restriction',
      names => names.split(','),
      'nothing',
    ),
    junit: flag('<file>', 'also write the coverage as JUnit XML: unseen items are skipped, or failed if required'),
  },
  examples: ['', '--junit coverage.xml', '--all-tenants --min 80 --require age_restriction'],
  async call({ tenant, sandbox }, { allTenants, prefix, origin, require, junit }): Promise<Coverage> {
    if (prefix !== undefined && !allTenants) throw new CommandError('--prefix requires --all-tenants.', exitCodes.usage)
    const reply: Coverage = allTenants ? await sandbox.coverage({ prefix, origin }) : await tenant.coverage({ origin })
    const unknown = require.find(name => !reply.items.some(isNamedBy([name])))
    if (unknown !== undefined)
      throw new CommandError(
        `--require names an unknown item (got '${unknown}'). To list the items: lead-sandbox coverage.`,
        exitCodes.usage,
      )
    await writeReport(junit, () => coverageJunit(reply.items, reply.items.filter(isNamedBy(require))))
    return reply
  },
  text: ({ seen, total, items }) => {
    const found = table(items, {
      kind: 'kind',
      name: 'name',
      seen: ({ count }) => paint(count > 0 ? 'green' : 'red', String(count)),
      'how to see it': ({ count, how }) => (count > 0 ? '' : how),
    })
    return `${found}\n\nSeen: ${seen} of ${total}.`
  },
  failure({ seen, total, items }, { require, min = 0 }) {
    const unseen = items.filter(isNamedBy(require)).filter(({ count }) => count === 0)
    const missing = unseen.map(({ name, how }) => `${name} was not seen. ${how}`)
    const share = Math.floor((seen / total) * 100)
    if (share < min) missing.push(`Coverage is ${share} %, below --min ${min} %.`)
    return missing.length > 0 ? missing.join('\n') : undefined
  },
})

/** Matches items by name, `age_restriction`, or with their kind, `reason/age_restriction`. */
const isNamedBy = (names: readonly string[]) => (item: Item) =>
  names.includes(item.name) || names.includes(`${item.kind}/${item.name}`)
