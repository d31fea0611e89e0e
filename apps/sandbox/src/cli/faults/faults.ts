import { Argument, type Command, Option } from 'commander'
import { sandboxVerb } from '../connection/sandbox-verb.ts'
import type { Session } from '../connection/session.ts'
import { probability, wholeNumber } from '../values/numbers.ts'
import { operationNames } from '../values/operation-names.ts'
import { addEffectFlags, type EffectFlags, effectOf } from './effect-flags.ts'
import { faultTable } from './fault-text.ts'

interface Flags extends EffectFlags {
  readonly scenario?: string
  readonly times?: number
  readonly after?: number
  readonly probability?: number
}

const count = wholeNumber('times')

/** `lead-sandbox faults`. */
export function describeFaults(command: Command): void {
  command.helpCommand(false)
  describeAdd(command.command('add'))
  sandboxVerb<unknown, []>(
    command
      .command('list')
      .description('List the faults in the order in which they are asked, and how often each acted.'),
    ['faults list'],
    async session =>
      session.print(await session.ask<'listFaults'>('GET', ['faults']), ({ faults }) => faultTable(faults)),
  )
  sandboxVerb<unknown, [string?]>(
    command.command('clear').description('Remove all faults, or one.').argument('[id]', 'its fault_id'),
    ['faults clear', 'faults clear FAULT_ID'],
    async (session, _flags, id) => {
      const path = id === undefined ? ['faults'] : ['faults', id]
      session.print(await session.ask<'clearFaults'>('DELETE', path), ({ cleared }) => `Faults removed: ${cleared}.`)
    },
  )
}

function describeAdd(command: Command): void {
  command
    .description('Set a fault on calls of the service or on callbacks; of several that match, the first acts.')
    .addArgument(new Argument('<operation>', 'what fails').choices([...operationNames, 'callback']))
  addEffectFlags(command)
    .optionsGroup('When:')
    .option('--scenario <word>', 'only on submissions that play this scenario')
    .addOption(new Option('--times <count>', 'so often (default: until cleared)').argParser(count))
    .addOption(new Option('--after <count>', 'so many matching calls pass first').argParser(count))
    .addOption(new Option('--probability <p>', "by the tenant's seeded chance, 0 to 1").argParser(probability))
    .addOption(
      new Option('--retry-after <seconds>', 'the header that goes with --status').argParser(wholeNumber('retry_after')),
    )
  sandboxVerb(
    command,
    [
      'faults add submitLead --status 503 --retry-after 2 --times 2',
      'faults add submitLead --lost-reply --times 1',
      'faults add callback --drop --after 1 --times 3',
      'faults add callback --delay 5s --probability 0.2',
    ],
    add,
  )
}

async function add(session: Session, flags: Flags, operation: string): Promise<void> {
  const { scenario, times, after, probability } = flags
  const body = { match: { operation, scenario }, effect: effectOf(flags), times, after, probability }
  session.print(await session.ask<'addFault'>('POST', ['faults'], { body }), fault => faultTable([fault]))
}
