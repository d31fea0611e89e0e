import { operations } from '@lead-distribution/contract/shapes'
import { duration } from '@lead-distribution/engine'
import * as z from 'zod/mini'
import { faultEffects } from '../paths.ts'
import { type ControlOperation, operationDefaults, wholeNumber, withBody } from './operation-defaults.ts'

/** What a fault can act on. */
const places = [...(Object.keys(operations) as (keyof typeof operations)[]), 'callback'] as const

const count = wholeNumber('times')
const yes = z.optional(z.literal(true))

/** One effect, by its name. `retry_after`, in seconds, goes with `status`. */
const effect = z
  .strictObject({
    status: z.optional(wholeNumber('status')),
    retry_after: z.optional(wholeNumber('retry_after')),
    latency_ms: z.optional(wholeNumber('latency_ms')),
    timeout: yes,
    reset: yes,
    malformed: yes,
    lost_reply: yes,
    drop: yes,
    delay: z.optional(duration),
    duplicate: z.optional(wholeNumber('duplicate')),
    reorder: yes,
  })
  .check(z.refine(given => namesOf(given).length === 1, 'must name one effect'))

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

/** An effect that cannot apply is refused where its author can still read why. */
const applies = z.superRefine<z.output<typeof declared>>(({ match: { operation }, effect }, context) => {
  const [name] = namesOf(effect)
  const applicable: readonly string[] = operation === 'callback' ? faultEffects.callbacks : faultEffects.calls
  const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message, input: effect })
  if (name !== undefined && !applicable.includes(name))
    refuse(['effect', name], `does not apply to ${operation}: use one of ${applicable.join(', ')}`)
  if (operation !== 'callback' && (effect.status ?? 400) < 400)
    refuse(['effect', 'status'], 'must be from 400 to 599; for a lead that succeeds, use a scenario')
  if (effect.retry_after !== undefined && (effect.status === undefined || operation === 'callback'))
    refuse(['effect', 'retry_after'], 'goes with a status that the service answers')
})

/** The body that sets a fault. */
const newFault = declared.check(applies)

/** A fault, with how often it matched and acted. */
export const fault = z.extend(declared, { fault_id: z.string(), matched: z.int(), acted: z.int() })

/** How many faults a tenant has at most. */
export const maxFaults = 1_000

const calls = z.int().check(z.gte(0), z.lte(1_000_000_000))

/** The faults of a tenant as they are stored: each is numbered, up to how many were ever set. */
export const storedFaults = z
  .strictObject({
    set: calls,
    faults: z
      .array(
        z
          .extend(declared, {
            fault_id: z.string().check(z.regex(/^f[1-9]\d{0,9}$/, 'must be f and a number, such as f1')),
            matched: calls,
            acted: calls,
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
            message: 'must be the only one of its number, which is at most that of set',
            input: fault_id,
          })
        seen.add(fault_id)
      }
    }),
  )

/** The names of the effects that are given. */
function namesOf(effect: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(effect).filter(name => name !== 'retry_after' && effect[name] !== undefined)
}

/** The operations on faults. */
export const faultOperations = {
  addFault: {
    ...withBody,
    title: 'Add a fault',
    description:
      'The fault acts on requests to the service or on callbacks. If several faults match, the first one acts.',
    methods: ['POST'],
    path: '/tenants/:tenant/faults',
    input: newFault,
    status: 201,
    reply: fault,
    errors: ['not_found', 'validation_error', 'too_many'],
  },
  listFaults: {
    ...operationDefaults,
    title: 'List faults',
    description: 'Returns the faults in the order in which they are matched.',
    methods: ['GET'],
    path: '/tenants/:tenant/faults',
    reply: z.strictObject({ faults: z.array(fault) }),
  },
  clearFaults: {
    ...operationDefaults,
    title: 'Remove all faults',
    methods: ['DELETE'],
    path: '/tenants/:tenant/faults',
    reply: z.strictObject({ cleared: z.int() }),
  },
  removeFault: {
    ...operationDefaults,
    title: 'Remove a fault',
    methods: ['DELETE'],
    path: '/tenants/:tenant/faults/:fault_id',
    reply: z.strictObject({ cleared: z.int() }),
  },
} as const satisfies Record<string, ControlOperation>
