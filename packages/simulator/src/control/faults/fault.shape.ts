import { operations } from '@lead-distribution/contract/shapes'
import { duration } from '@lead-distribution/engine'
import * as z from 'zod/mini'
import { wholeNumber } from '../whole-number.ts'

/** What faults can be put on. */
const places = [...(Object.keys(operations) as (keyof typeof operations)[]), 'callback'] as const

const count = wholeNumber('times')
const yes = z.optional(z.literal(true))

/** The effects on calls of the service, and those on callbacks. */
const inbound = ['status', 'latency_ms', 'timeout', 'reset', 'malformed', 'lost_reply']
const outbound = ['drop', 'delay', 'duplicate', 'reorder', 'status']

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

const fault = z.strictObject({
  match,
  effect,
  times: z.optional(count),
  after: z.optional(count),
  probability: z.optional(z.number().check(z.gte(0), z.lte(1))),
})

/** The body that sets a fault. An effect that cannot apply is refused here, where somebody can still read why. */
export const faultOrder = fault.check(
  z.superRefine(({ match: { operation }, effect }, context) => {
    const [name] = namesOf(effect)
    const applicable = operation === 'callback' ? outbound : inbound
    const refuse = (path: string[], message: string) =>
      context.addIssue({ code: 'custom', path, message, input: effect })
    if (name !== undefined && !applicable.includes(name))
      refuse(['effect', name], `does not apply to ${operation}: use one of ${applicable.join(', ')}`)
    if (operation !== 'callback' && (effect.status ?? 400) < 400)
      refuse(['effect', 'status'], 'must be from 400 to 599: to have a lead come out well, use a scenario')
    if (effect.retry_after !== undefined && (effect.status === undefined || operation === 'callback'))
      refuse(['effect', 'retry_after'], 'goes with a status that the service answers')
  }),
)

/** A fault as it stands, with how often it matched and acted. */
export const faultView = z.extend(fault, { fault_id: z.string(), matched: z.int(), acted: z.int() })

/** The names of the effects that are given. */
function namesOf(effect: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(effect).filter(name => name !== 'retry_after' && effect[name] !== undefined)
}
