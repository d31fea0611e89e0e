import { uuid } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import type { StoredShapes } from '../tenants/broken-tenants.ts'
import { clockTime, storedClock } from './clock.ts'
import { storedFaults } from './faults.ts'
import { inboxMode } from './shapes.ts'

const count = z.int().check(z.gte(0))
const text = z.string()

const newest = z.looseObject({ lead_id: z.optional(uuid), callback_id: z.optional(uuid) })

const documents = z.looseObject({
  clock: z.optional(storedClock),
  faults: z.optional(storedFaults),
  inbox: z.optional(inboxMode),
  ages: z.optional(z.array(z.looseObject({ at: clockTime, newest, newestRequest: count }))),
  listener: z.optional(
    z.looseObject({
      listener_id: text,
      seen_until: z.number(),
      count,
      deliveries: z.array(
        z.looseObject({
          delivery_id: text,
          url: text,
          headers: z.record(text, text),
          attempt: count,
          ends_at: z.number(),
          taken: z.optional(z.boolean()),
          response: z.optional(z.looseObject({ status: z.optional(z.int()), error: z.optional(text) })),
        }),
      ),
    }),
  ),
})

export const storedShapes: StoredShapes = { documents }
