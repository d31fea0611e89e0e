import { duration, operations } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import { maxFaults } from '../bounds.ts'
import {
  type EffectDefinition,
  type EffectName,
  type EffectValues,
  effects,
  effectsOn,
  type Fault,
} from '../effects/effects.ts'
import { withTiming } from '../effects/faults.ts'
import type { FaultRecord } from '../storage/records.ts'
import { controlError, noSuch } from './control-error.ts'
import { operation } from './operation.ts'
import { wholeNumber } from './shapes.ts'

const places = [...(Object.keys(operations) as (keyof typeof operations)[]), 'callback'] as const

const count = wholeNumber('times')

type EffectShapes = {
  [Name in EffectName]: z.ZodMiniOptional<z.ZodMiniType<EffectValues[Name], EffectValues[Name]>>
}

const effectShapes = Object.fromEntries(
  Object.entries<EffectDefinition>(effects).map(([name, { value }]) => {
    if (value === undefined) return [name, z.optional(z.literal(true))]
    return [name, z.optional(value.bounds ? wholeNumber(value.bounds) : duration)]
  }),
) as EffectShapes

/** One effect, by name. `retry_after`, in seconds, goes with `status`. */
const effect = z
  .strictObject({ ...effectShapes, retry_after: z.optional(wholeNumber('retry_after')) })
  .check(z.refine(given => namesOf(given).length === 1, 'must name exactly one effect'))

const match = z.strictObject({
  operation: z.enum(places),
  scenario: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
})

const declared = z.strictObject({
  match,
  effect,
  times: z.optional(count),
  after: z.optional(count),
  probability: z.optional(z.number().check(z.gte(0), z.lte(1))),
})

/** Refuses an effect that cannot apply, when it is added rather than silently later. */
const applies = z.superRefine<z.output<typeof declared>>(({ match: { operation }, effect }, context) => {
  const [name] = namesOf(effect)
  const applicable: readonly string[] = effectsOn(operation)
  const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message, input: effect })
  if (name !== undefined && !applicable.includes(name))
    refuse(['effect', name], `does not apply to ${operation}: use one of ${applicable.join(', ')}`)
  if (operation !== 'callback' && (effect.status ?? 400) < 400)
    refuse(['effect', 'status'], 'must be from 400 to 599; for a lead that succeeds, use a scenario')
  if (effect.retry_after !== undefined && (effect.status === undefined || operation === 'callback'))
    refuse(['effect', 'retry_after'], 'is allowed only with a status of the service')
})

/** The body that adds a fault. */
const newFault = declared.check(applies)

/**
 * A fault: the number of requests or callback attempts that it matched, the number that it acted on, and when it acts
 * next.
 */
export const fault = z.extend(declared, {
  fault_id: z.string(),
  matched: z.int(),
  acted: z.int(),
  state: z.enum(['active', 'blocked', 'used_up']),
  blocked_by: z.optional(z.string()),
  lets_through: z.int(),
})

/** Returns a tenant's faults, each with when it acts next. */
export const faultViews = (faults: readonly FaultRecord[]) => faults.map(fault => withTiming(fault, faults))

const counted = z.int().check(z.gte(0), z.lte(1_000_000_000))

/** A tenant's faults as stored. Each has a number of at most `set`, which counts all faults ever added. */
export const storedFaults = z
  .strictObject({
    set: counted,
    faults: z
      .array(
        z
          .extend(declared, {
            fault_id: z.string().check(z.regex(/^f[1-9]\d{0,9}$/, 'must be f and a number, such as f1')),
            matched: counted,
            acted: counted,
          })
          .check(applies),
      )
      .check(z.maxLength(maxFaults)),
  })
  .check(
    z.superRefine(({ set, faults }, context) => {
      const seen = new Set<string>()
      for (const [index, { fault_id }] of faults.entries()) {
        if (seen.has(fault_id) || Number(fault_id.slice(1)) > set)
          context.addIssue({
            code: 'custom',
            path: ['faults', index, 'fault_id'],
            message: 'must have a unique number of at most `set`',
            input: fault_id,
          })
        seen.add(fault_id)
      }
    }),
  )

function namesOf(effect: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(effect).filter(name => name !== 'retry_after' && effect[name] !== undefined)
}

const tooMany = controlError(
  'too_many',
  `The tenant already has ${maxFaults} faults. Remove those that you no longer need.`,
)

/** The operations on faults. Changes wait until a restore or a save has finished. */
export const faultOperations = {
  addFault: operation(
    {
      title: 'Add a fault',
      description:
        'Adds a fault that acts on requests to the service or on callbacks. If several faults match, the first one acts.',
      methods: ['POST'],
      path: '/tenants/:tenant/faults',
      input: newFault,
      status: 201,
      reply: fault,
      errors: ['too_many'],
    },
    ({ tenant: { faults, lock }, input }) =>
      lock.shared(async () => {
        if (faults.list().length >= maxFaults) return tooMany
        // The shape has checked that there is exactly one effect, and that it applies.
        const added = await faults.add(input as Fault)
        return { body: withTiming(added, faults.list()) }
      }),
  ),
  listFaults: operation(
    {
      title: 'List faults',
      description:
        'Returns the faults in the order in which they are matched, each with when it acts next. While a fault is `blocked`, the earlier one in `blocked_by` acts first. An `active` fault first lets the number of matching requests in `lets_through` pass.',
      methods: ['GET'],
      path: '/tenants/:tenant/faults',
      reply: z.strictObject({ faults: z.array(fault) }),
    },
    async ({ tenant: { faults } }) => ({ body: { faults: faultViews(faults.list()) } }),
  ),
  clearFaults: operation(
    {
      title: 'Remove all faults',
      description: 'Removes all faults and returns how many there were.',
      methods: ['DELETE'],
      path: '/tenants/:tenant/faults',
      reply: z.strictObject({ cleared: z.int() }),
    },
    ({ tenant: { faults, lock } }) =>
      lock.shared(async () => {
        const cleared = faults.list().length
        await faults.remove()
        return { body: { cleared } }
      }),
  ),
  removeFault: operation(
    {
      title: 'Remove a fault',
      description: 'Removes the fault, which stops acting at once. Other faults are not affected.',
      methods: ['DELETE'],
      path: '/tenants/:tenant/faults/:fault_id',
      reply: z.strictObject({ cleared: z.int() }),
    },
    ({ tenant: { faults, lock }, params }) =>
      lock.shared(async () => ((await faults.remove(params.fault_id)) ? { body: { cleared: 1 } } : noSuch('fault'))),
  ),
}
