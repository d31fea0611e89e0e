import { dateTime, uuid } from '@lead-distribution/contract/shapes'
import { duration } from '@lead-distribution/engine'
import * as z from 'zod/mini'
import { shownHold } from './callbacks.ts'
import { type ControlOperation, operationDefaults, withBody } from './operation-defaults.ts'

/** The state of a clock. */
export const clockState = z.strictObject({ mode: z.enum(['running', 'frozen']), now: dateTime })

/** The body of a change of the clock: one of the three. */
const clockChange = z
  .strictObject({
    freeze: z.optional(z.literal(true)),
    set: z.optional(dateTime),
    resume: z.optional(z.literal(true)),
  })
  .check(
    z.refine(
      change => Object.values(change).filter(value => value !== undefined).length === 1,
      'must hold one of freeze, set and resume',
    ),
  )

/** The body of an advance. */
const advance = z.strictObject({ by: duration })

/**
 * The result of an advance: the new time, how many jobs ran, how many still wait, and how many of these are callbacks that
 * the tenant holds.
 */
const advanced = z.strictObject({ now: dateTime, executed: z.int(), pending: z.int(), held: z.optional(z.int()) })

/** What falls due on a clock: a callback to the publisher, or an event that the simulated advertiser reports by itself. */
const agenda = z.strictObject({
  now: dateTime,
  due: z.array(
    z.strictObject({
      at: dateTime,
      type: z.enum(['callback', 'report']),
      lead_id: uuid,
      event: z.string(),
      callback_id: z.optional(uuid),
      attempts: z.optional(z.int()),
      held: z.optional(shownHold),
    }),
  ),
  /** How many are due after those. */
  more: z.int(),
})

/** The operations on a tenant's clock. */
export const clockOperations = {
  showClock: {
    ...operationDefaults,
    title: 'Show the clock',
    description: "Returns the mode and the time of the tenant's clock.",
    methods: ['GET'],
    path: '/tenants/:tenant/clock',
    reply: clockState,
  },
  showAgenda: {
    ...operationDefaults,
    title: 'Show the agenda',
    description:
      "Returns what falls due on the tenant's clock, the next first: callbacks, and events that advertisers will report.",
    methods: ['GET'],
    path: '/tenants/:tenant/clock/agenda',
    reply: agenda,
  },
  changeClock: {
    ...withBody,
    title: 'Change the clock',
    description: 'Freezes the clock, sets it forward, or resumes it.',
    methods: ['POST'],
    path: '/tenants/:tenant/clock',
    input: clockChange,
    reply: clockState,
  },
  advanceClock: {
    ...withBody,
    title: 'Advance the clock',
    description: 'Runs everything that falls due, in order, before it responds.',
    methods: ['POST'],
    path: '/tenants/:tenant/clock/advance',
    input: advance,
    reply: advanced,
  },
} as const satisfies Record<string, ControlOperation>
