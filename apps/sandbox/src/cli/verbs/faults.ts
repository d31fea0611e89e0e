import type { ControlInput, ControlReply } from '@lead-distribution/simulator'
import {
  type EffectDefinition,
  effects,
  faultPresets,
  type PresetValues,
  presetFields,
  usualPresetValues,
} from '@lead-distribution/simulator/effects'
import { CommandError, exitCodes } from '../exit-codes.ts'
import { argument, byDefault, flag, oneOf, onOff, type Taken, under } from '../flags.ts'
import { table } from '../printing.ts'
import { group, verb } from '../run-verb.ts'
import { duration, fromZeroTo, operationNames, whole, wholeNumber } from '../values.ts'

type NewFault = ControlInput<'addFault'>

/** The flag for each effect, by its name in camelCase. */
const effectFlags = Object.fromEntries(
  Object.entries<EffectDefinition>(effects).map(([name, { label, value, request, callback }]) => {
    const only = request && callback ? '' : ` (${request ? 'requests' : 'callbacks'})`
    const about = `${label.charAt(0).toLowerCase()}${label.slice(1)}${only}`
    const parse: (text: string) => number | string = value?.bounds ? wholeNumber(value.bounds) : duration
    return [camelCase(name), value ? flag(`<${value.label.toLowerCase()}>`, about, parse) : onOff(about)]
  }),
)

/** The flag for each field of a preset. */
const presetFlags = Object.fromEntries(
  Object.entries(presetFields).map(([name, { min, max }]) => [
    name,
    byDefault(
      flag('<count>', `the ${name} of a preset that has this field`, whole(min, max)),
      usualPresetValues[name as keyof PresetValues],
    ),
  ]),
) as Record<keyof PresetValues, Taken<number>>

const count = wholeNumber('times')

export const faults = group({
  add: verb({
    does: 'Add a fault that affects requests to the service, or callbacks. If several match, the first one applies.',
    takes: {
      operation: oneOf(argument('<operation>', 'the operation that fails'), [...operationNames, 'callback']),
      ...under('Effects, exactly one of:', effectFlags),
      ...under('When:', {
        scenario: flag('<name>', 'only for leads with this scenario'),
        times: flag('<count>', 'how many times it applies (default: unlimited)', count),
        after: flag('<count>', 'the number of matching requests to let pass first', count),
        probability: flag('<p>', "the probability that it applies, 0 to 1, from the tenant's seed", fromZeroTo(1)),
        retryAfter: flag('<seconds>', 'the Retry-After header to send with --status', wholeNumber('retry_after')),
      }),
    },
    examples: [
      'submitLead --status 503 --retry-after 2 --times 2',
      'submitLead --lost-reply --times 1',
      'callback --drop --after 1 --times 3',
      'callback --delay 5s --probability 0.2',
    ],
    call: ({ tenant }, { operation, scenario, times, after, probability, retryAfter, ...given }) =>
      tenant.faults.add({
        match: { operation, scenario },
        effect: { ...effectOf(given), retry_after: retryAfter },
        times,
        after,
        probability,
      }),
    text: added => faultTable([added]),
  }),
  preset: verb({
    does: 'Add a fault by its purpose. Without a name, list the presets.',
    takes: { name: oneOf(argument('[name]', 'the preset'), Object.keys(faultPresets)), ...presetFlags },
    examples: ['', 'service-down', 'rate-limited --times 3 --seconds 10'],
    async call({ tenant, print }, { name, ...values }) {
      const preset = name === undefined ? undefined : faultPresets[name]
      if (preset) print(await tenant.faults.add(preset.fault(values)), added => faultTable([added]))
      else print(presetList(), presetTable)
    },
  }),
  list: verb({
    does: 'List the faults in matching order, with the number of times that each applied.',
    call: ({ tenant }) => tenant.faults.list(),
    text: ({ faults }) => faultTable(faults),
  }),
  clear: verb({
    does: 'Remove all faults, or one.',
    takes: { id: argument('[id]', 'its fault_id') },
    examples: ['', 'FAULT_ID'],
    call: ({ tenant }, { id }) => (id === undefined ? tenant.faults.clear() : tenant.faults.remove(id)),
    text: ({ cleared }) => `Faults removed: ${cleared}.`,
  }),
})

/** Formats the presets as a list, each with its effect under the default values. */
function presetList() {
  return Object.entries(faultPresets).map(([name, { fields, about }]) => ({
    name,
    takes: fields.map(field => `--${field}`),
    about: about(usualPresetValues),
  }))
}

function presetTable(presets: ReturnType<typeof presetList>): string {
  return table(presets, { preset: 'name', takes: ({ takes }) => takes.join(' '), 'what happens': 'about' })
}

/** Returns the effect given by the flags. Throws unless there is exactly one. */
function effectOf(flags: Readonly<Record<string, unknown>>): NewFault['effect'] {
  const given = Object.keys(effects).flatMap(name => {
    const value = flags[camelCase(name)]
    return value === undefined ? [] : [[name, value]]
  })
  if (given.length !== 1)
    throw new CommandError(
      'Specify exactly one effect, such as --status 503. To list them: faults add --help.',
      exitCodes.usage,
    )
  return Object.fromEntries(given)
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

type Fault = ControlReply<'addFault'>

function faultTable(faults: readonly Fault[]): string {
  return (
    table(faults, {
      fault: 'fault_id',
      on: ({ match }) => match.operation,
      effect: ({ effect }) => Object.entries(effect).map(named).join(' '),
      when: when,
      matched: 'matched',
      acted: 'acted',
    }) || 'No faults.'
  )
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
