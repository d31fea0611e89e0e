import { uuid } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import type { StoredShapes } from '../tenants/broken-tenants.ts'
import { maxParties } from '../tenants/change-tenant.ts'
import { tenantSettings } from '../tenants/tenant-account.ts'
import { earliestTime, latestTime } from '../time/time-control.ts'
import { account } from './account.ts'
import { inboxMode } from './callbacks.ts'
import { storedFaults } from './faults.ts'

// What a storage has of a tenant was perhaps written by another version, or edited. It has the bounds of the control plane.

const time = z.int().check(z.gte(earliestTime), z.lte(latestTime))
const count = z.int().check(z.gte(0))
const text = z.string()
const secret = z.string().check(z.minLength(1), z.maxLength(1024))
const settings = z.partial(tenantSettings)

const { advertisers, products, blacklist } = account.shape
const advertiser = advertisers.def.element.shape
const product = products.def.element.shape

const record = z.looseObject({
  tenant: z.string().check(z.minLength(1), z.maxLength(63)),
  seed: z.string().check(z.minLength(1), z.maxLength(200)),
  created_at: time,
  publisher: z.looseObject({
    publisher_id: uuid,
    api_key: secret,
    callback_url: z.optional(text),
    callback_secret: secret,
  }),
  // A criterion that is newer than the record is missing there.
  advertisers: z
    .array(
      z.looseObject({
        ...advertiser,
        api_key: secret,
        postback_secret: secret,
        criteria: z.partial(advertiser.criteria),
      }),
    )
    .check(z.maxLength(maxParties)),
  products: z
    .array(z.looseObject({ ...product, criteria: z.partial(product.criteria) }))
    .check(z.maxLength(maxParties)),
  blacklist,
  settings,
  callbacks_held: z.optional(z.boolean()),
  made: z.optional(z.looseObject({ settings, callback_url: z.optional(text), frozen_at: z.optional(time) })),
  expires_at: z.optional(z.int().check(z.gte(0), z.lte(latestTime))),
  tokens: z.optional(
    z.array(
      z.looseObject({
        token_id: text,
        role: z.enum(['read', 'write']),
        name: z.optional(text),
        hash: z.string().check(z.regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal')),
        created_at: time,
      }),
    ),
  ),
  callback_hosts: z.optional(z.array(text)),
})

const clock = z.discriminatedUnion('mode', [
  z.looseObject({
    mode: z.literal('running'),
    ahead_ms: z.number().check(z.gte(earliestTime - latestTime), z.lte(latestTime)),
  }),
  z.looseObject({ mode: z.literal('frozen'), now: time }),
])

const newest = z.looseObject({ lead_id: z.optional(uuid), callback_id: z.optional(uuid) })

const documents = z.looseObject({
  clock: z.optional(clock),
  faults: z.optional(storedFaults),
  inbox: z.optional(inboxMode),
  coverage: z.optional(z.record(text, count)),
  ages: z.optional(z.array(z.looseObject({ at: time, newest, newestRequest: count }))),
})

/** The shapes of what is stored of a tenant. */
export const storedShapes: StoredShapes = { record, documents }
