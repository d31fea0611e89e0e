import type { ControlInput, ControlReply } from '@lead-distribution/simulator'
import {
  type EffectDefinition,
  effects,
  faultPresets,
  type PresetValues,
  presetFields,
  usualPresetValues,
} from '@lead-distribution/simulator/effects'
import { Argument, type Command, Option } from 'commander'
import { CommandError, exitCodes } from './exit-codes.ts'
import { table } from './printing.ts'
import { type Session, sandboxVerb } from './sandbox-verb.ts'
import { duration, fromZeroTo, operationNames, whole, wholeNumber } from './values.ts'

type NewFault = ControlInput<'addFault'>

interface Flags {
  readonly [effect: string]: unknown
  readonly scenario?: string
  readonly times?: number
  readonly after?: number
  readonly probability?: number
  readonly retryAfter?: number
}

const count = wholeNumber('times')

export function describeFaults(command: Command): void {
  describeAdd(command.command('add'))
  describePreset(command.command('preset'))
  sandboxVerb<unknown, []>(
    command.command('list').description('List the faults in matching order, with the number of times each acted.'),
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
    .description('Add a fault that acts on calls of the service or on callbacks. If several match, the first one acts.')
    .addArgument(new Argument('<operation>', 'what fails').choices([...operationNames, 'callback']))
  command.optionsGroup('Effects, exactly one of:')
  for (const { option } of effectOptions) command.addOption(option)
  command
    .optionsGroup('When:')
    .option('--scenario <name>', 'act only on leads with this scenario')
    .option('--times <count>', 'how often it acts (default: unlimited)', count)
    .option('--after <count>', 'the number of matching calls to let pass first', count)
    .option('--probability <p>', "the chance that it acts, 0 to 1, drawn from the tenant's seed", fromZeroTo(1))
    .option('--retry-after <seconds>', 'the Retry-After header to send with --status', wholeNumber('retry_after'))
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

function describePreset(command: Command): void {
  command
    .description('Add a fault by its intention. Without a name, list the presets.')
    .addArgument(new Argument('[name]', 'the preset').choices(Object.keys(faultPresets)))
  for (const [name, usual] of Object.entries(usualPresetValues)) {
    const { min, max } = presetFields[name as keyof PresetValues]
    command.option(`--${name} <count>`, `the ${name} of a preset that takes them`, whole(min, max), usual)
  }
  sandboxVerb<PresetValues, [string?]>(
    command,
    ['faults preset', 'faults preset service-down', 'faults preset rate-limited --times 3 --seconds 10'],
    async ({ tenant, print }, flags, name) => {
      const preset = name === undefined ? undefined : faultPresets[name]
      if (preset) print(await tenant.faults.add(preset.fault(flags)), added => faultTable([added]))
      else print(presetList(), presetTable)
    },
  )
}

/** The presets as a list, each with what happens if it is given no values. */
function presetList() {
  return Object.entries(faultPresets).map(([name, { fields, about }]) => ({
    name,
    takes: fields.map(field => `--${field}`),
    about: about(usualPresetValues),
  }))
}

function presetTable(list: ReturnType<typeof presetList>): string {
  const rows = list.map(({ name, takes, about }) => [name, takes.join(' '), about])
  return table(['preset', 'takes', 'what happens'], rows, 'No presets.')
}

/** The flag of each effect, such as `--lost-reply`. */
const effectOptions = Object.entries<EffectDefinition>(effects).map(([name, { label, value, call, callback }]) => {
  const flag = `--${name.replaceAll('_', '-')}`
  const only = call && callback ? '' : ` (${call ? 'calls' : 'callbacks'})`
  const help = `${label.charAt(0).toLowerCase()}${label.slice(1)}${only}`
  const option = new Option(value ? `${flag} <${value.label.toLowerCase()}>` : flag, help)
  const parse: (text: string) => number | string = value?.bounds ? wholeNumber(value.bounds) : duration
  if (value) option.argParser(parse)
  return { name, option }
})

/** Returns the effect that the flags name. Throws unless it is exactly one. */
function effectOf(flags: Flags): NewFault['effect'] {
  const given = effectOptions.flatMap(({ name, option }) => {
    const value = flags[option.attributeName()]
    return value === undefined ? [] : [[name, value]]
  })
  if (given.length !== 1)
    throw new CommandError(
      'Specify exactly one effect, such as --status 503. To list them: faults add --help.',
      exitCodes.usage,
    )
  return { ...Object.fromEntries(given), retry_after: flags.retryAfter }
}

type Fault = ControlReply<'addFault'>

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
