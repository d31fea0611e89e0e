import { leadStatuses } from '@lead-distribution/contract'
import { type Command, Option } from 'commander'
import { sandboxVerb } from '../connection/sandbox-verb.ts'
import { wholeNumber } from '../values/numbers.ts'
import { explain } from './explain.ts'
import { leadTable, leadText } from './lead-text.ts'
import { noFillFlag, scenarioFlag } from './submit.ts'

interface ListFlags {
  readonly status?: string
  readonly email?: string
  readonly limit?: number
  readonly before?: string
}

/** `lead-sandbox leads`. */
export function describeLeads(command: Command): void {
  command.helpCommand(false)
  const shown = command
    .command('list')
    .description('List leads, newest first.')
    .addOption(new Option('--status <status>', 'only those of this outcome').choices(leadStatuses))
    .option('--email <address>', 'only those of this customer')
    .addOption(new Option('--limit <count>', 'at most so many').argParser(wholeNumber('limit')))
    .option('--before <id>', 'only those older than this lead')
  sandboxVerb<ListFlags, []>(
    shown,
    ['leads list --status rejected', 'leads list --json --limit 1'],
    async (session, { status, email, limit, before }) => {
      const query = { status, email, limit, before }
      session.print(await session.ask<'listLeads'>('GET', ['leads'], { query }), leadTable)
    },
  )
  sandboxVerb<unknown, [string]>(
    command
      .command('show')
      .description('Show a lead with its deliveries, postback URLs, events and callbacks.')
      .argument('<id>', 'its lead_id'),
    ['leads show LEAD_ID'],
    async (session, _flags, id) => session.print(await session.ask<'showLead'>('GET', ['leads', id]), leadText),
  )
  sandboxVerb(
    command
      .command('explain')
      .description('Tell why a lead was decided as it was, or how one would be, without submitting it.')
      .argument('<id-or-file>', 'a lead_id, a JSON file, or - for stdin')
      .addOption(scenarioFlag())
      .addOption(noFillFlag()),
    ['leads explain LEAD_ID', 'leads explain lead.json', 'leads explain lead.json --scenario fraud_suspected'],
    explain,
  )
}
