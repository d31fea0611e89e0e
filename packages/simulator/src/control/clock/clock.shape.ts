import { dateTime } from '@lead-distribution/contract/shapes'
import { duration } from '@lead-distribution/engine'
import * as z from 'zod/mini'

/** How a clock stands. */
export const clockView = z.strictObject({ mode: z.enum(['running', 'frozen']), now: dateTime })

/** The body of a change of the clock: one of them. */
export const clockChange = z
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
export const advance = z.strictObject({ by: duration })

/** How an advance ended: the new time, how much was done, and how much still waits. */
export const advanced = z.strictObject({ now: dateTime, executed: z.int(), pending: z.int() })
