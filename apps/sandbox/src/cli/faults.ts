import type { ControlInput, ControlReply } from '@lead-distribution/simulator'
import { Argument, type Command, Option } from 'commander'
import { CommandError, exitCodes } from './exit-codes.ts'
import { table } from './printing/table.ts'
import { type Session, sandboxVerb } from './sandbox-verb.ts'
import { duration, operationNames, probability, wholeNumber } from './values.ts'

type NewFault = ControlInput<'addFault'>

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
    command.command('list').description('List the faults in the order in which they match, and how often each acted.'),
    ['faults list'],
    async ({ tenant, print }) => print(await tenant.faults.list(), ({ faults }) => faultTable(faults)),
  )
  sandboxVerb<unknown, [string?]>(
    command.command('clear').description('Remove all faults, or one.').argument('[id]', 'its fault_id'),
    ['faults clear', 'faults clear FAULT_ID'],
    async ({ tenant, print }, _flags, id) => {
      const reply = await (id === undefined ? tenant.faults.clear() : tenant.faults.remove(id))
      print(reply, ({ cleared }) => `Faults removed: ${cleared}.`)
    },
  )
}

function describeAdd(command: Command): void {
  command
    .description(
      'Add a fault that acts on calls of the service or on callbacks; of several that match, the first acts.',
    )
    .addArgument(new Argument('<operation>', 'what fails').choices([...operationNames, 'callback']))
  addEffectFlags(command)
    .optionsGroup('When:')
    .option('--scenario <name>', 'only on submissions with this scenario')
    .addOption(new Option('--times <count>', 'how often it acts (default: until cleared)').argParser(count))
    .addOption(new Option('--after <count>', 'how many matching calls pass first').argParser(count))
    .addOption(new Option('--probability <p>', "drawn from the tenant's seed, 0 to 1").argParser(probability))
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

async function add({ tenant, print }: Session, flags: Flags, operation: NewFault['match']['operation']): Promise<void> {
  const { scenario, times, after, probability } = flags
  const fault = { match: { operation, scenario }, effect: effectOf(flags), times, after, probability }
  print(await tenant.faults.add(fault), added => faultTable([added]))
}

/** The effects whose flags take no value, and what each does. */
const switches = {
  timeout: 'the reply never comes (calls)',
  reset: 'the connection is cut before anything is done (calls)',
  malformed: 'the reply is no JSON (calls)',
  'lost-reply': 'all is done, and the connection cut before the reply (calls)',
  drop: 'it is not sent, and counts as a failed try (callback)',
  reorder: 'it goes out behind the next one (callback)',
}

/** The effects by their flags. */
interface EffectFlags {
  readonly status?: number
  readonly retryAfter?: number
  readonly latencyMs?: number
  readonly timeout?: true
  readonly reset?: true
  readonly malformed?: true
  readonly lostReply?: true
  readonly drop?: true
  readonly delay?: string
  readonly duplicate?: number
  readonly reorder?: true
}

/** Adds a flag for each effect. The control plane checks which effect applies to which operation. */
function addEffectFlags(command: Command): Command {
  command
    .optionsGroup('What happens, one of:')
    .addOption(new Option('--status <status>', 'it is answered with this status').argParser(wholeNumber('status')))
    .addOption(new Option('--latency-ms <ms>', 'the reply takes so long (calls)').argParser(wholeNumber('latency_ms')))
    .addOption(new Option('--delay <duration>', 'it is sent so much later: 5s, PT5S (callback)').argParser(duration))
    .addOption(
      new Option('--duplicate <copies>', 'so many more are sent (callback)').argParser(wholeNumber('duplicate')),
    )
  for (const [name, text] of Object.entries(switches)) command.option(`--${name}`, text)
  return command
}

/** The effect as the control plane takes it. Throws unless the flags name exactly one. */
function effectOf(flags: EffectFlags): NewFault['effect'] {
  const named = {
    status: flags.status,
    latency_ms: flags.latencyMs,
    timeout: flags.timeout,
    reset: flags.reset,
    malformed: flags.malformed,
    lost_reply: flags.lostReply,
    drop: flags.drop,
    delay: flags.delay,
    duplicate: flags.duplicate,
    reorder: flags.reorder,
  }
  const given = Object.values(named).filter(value => value !== undefined)
  if (given.length !== 1)
    throw new CommandError(
      'Say what happens by one flag, such as --status 503 (faults add --help shows them all).',
      exitCodes.usage,
    )
  return { ...named, retry_after: flags.retryAfter }
}

type Fault = ControlReply<'addFault'>

/** Faults as a table. */
function faultTable(faults: readonly Fault[]): string {
  const rows = faults.map(fault => [
    fault.fault_id,
    fault.match.operation,
    Object.entries(fault.effect).map(named).join(' '),
    when(fault),
    fault.matched,
    fault.acted,
  ])
  return table(['fault', 'on', 'effect', 'when', 'matched', 'acted'], rows, 'No faults.')
}

function when({ match, times, after, probability }: Fault): string {
  return Object.entries({ scenario: match.scenario, times, after, probability })
    .filter(([, value]) => value !== undefined)
    .map(named)
    .join(' ')
}

function named([name, value]: [string, unknown]): string {
  return value === true ? name : `${name}=${value}`
}
