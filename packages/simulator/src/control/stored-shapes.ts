import { uuid } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import { tenantSettings } from '../tenants/account.ts'
import type { StoredShapes } from '../tenants/broken-tenants.ts'
import { callbackSecret, maxParties } from '../tenants/change-tenant.ts'
import { latestTime } from '../time/time-control.ts'
import { account } from './account.ts'
import { inboxMode } from './callbacks.ts'
import { clockTime, storedClock } from './clock.ts'
import { storedFaults } from './faults.ts'

// A stored tenant may have been written by another version, or edited: it has the bounds of the control plane.

const count = z.int().check(z.gte(0))
const text = z.string()
const secret = z.string().check(z.minLength(1), z.maxLength(1024))
const settings = z.partial(tenantSettings)

const { advertisers, products, blacklist } = account.shape
const advertiser = advertisers.def.element.shape
const product = products.def.element.shape

const { api_key: _key, postback_secret: _secret, ...madeAdvertiserShape } = advertiser
const madeAdvertiser = z.looseObject(madeAdvertiserShape)

const record = z.looseObject({
  tenant: z.string().check(z.minLength(1), z.maxLength(63)),
  seed: z.string().check(z.minLength(1), z.maxLength(200)),
  created_at: clockTime,
  publisher: z.looseObject({
    publisher_id: uuid,
    api_key: secret,
    callback_url: z.optional(text),
    callback_secret: callbackSecret,
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
  made: z.optional(
    z.looseObject({
      settings,
      callback_url: z.optional(text),
      frozen_at: z.optional(clockTime),
      advertisers: z.optional(z.array(madeAdvertiser).check(z.maxLength(maxParties))),
    }),
  ),
  expires_at: z.optional(z.int().check(z.gte(0), z.lte(latestTime))),
  tokens: z.optional(
    z.array(
      z.looseObject({
        token_id: text,
        role: z.enum(['read', 'write']),
        name: z.optional(text),
        hash: z.string().check(z.regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal')),
        created_at: clockTime,
      }),
    ),
  ),
  callback_hosts: z.optional(z.array(text)),
  credentials: z.optional(
    z.looseObject({
      publisher: z.optional(
        z.looseObject({ api_key: z.optional(secret), callback_secret: z.optional(callbackSecret) }),
      ),
      advertisers: z.optional(
        z.array(
          z.looseObject({
            advertiser_id: uuid,
            api_key: z.optional(secret),
            postback_secret: z.optional(secret),
          }),
        ),
      ),
    }),
  ),
  listener: z.optional(z.looseObject({ listener_id: text, forward_to: text, connected: z.boolean() })),
})

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

export const storedShapes: StoredShapes = { record, documents }
