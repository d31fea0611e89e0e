import { advertiserCriteria, type Criterion, defaultsOf, productCriteria } from '@lead-distribution/contract'
import {
  account,
  advertiser,
  advertiserCredentials,
  maxParties,
  product,
  publisher,
  publisherCredentials,
  settingsChange,
} from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import { earliestTime, latestTime } from '../time/clock.ts'

// A stored tenant may have been written by another version, or edited: it has the bounds of the control plane.

/** Milliseconds since 1970. */
const time = z.int().check(z.gte(earliestTime), z.lte(latestTime))

/** An advertiser without its key and secret, which are derived from the seed of its tenant, or chosen. */
export const advertiserContent = z.omit(advertiser, { api_key: true, postback_secret: true })

/** The shape of a stored tenant: its account, what it was created from, and its operator's decisions. */
export const tenantRecord = z.object({
  /** Its name, the subdomain of the specification's `{tenant}`. */
  tenant: z.string().check(z.minLength(1), z.maxLength(63)),
  /** The source of its ids, keys and random numbers. A secret: it reveals the keys. */
  seed: z.string().check(z.minLength(1), z.maxLength(200)),
  /** Real time. */
  created_at: time,
  /** Without a callback URL, its callbacks go to the tenant's own inbox. */
  publisher: z.object({
    ...publisher.shape,
    ...publisherCredentials.shape,
    callback_url: z.optional(publisher.shape.callback_url),
  }),
  advertisers: z
    .array(
      z.object({
        ...advertiser.shape,
        ...advertiserCredentials.shape,
        criteria: withDefaults(advertiserCriteria, advertiser.shape.criteria),
      }),
    )
    .check(z.maxLength(maxParties)),
  products: z
    .array(z.object({ ...product.shape, criteria: withDefaults(productCriteria, product.shape.criteria) }))
    .check(z.maxLength(maxParties)),
  blacklist: account.shape.blacklist,
  /** The tenant's own settings, its profile among them. */
  settings: settingsChange,
  callbacks_held: z.optional(account.shape.callbacks_held),
  /** The input that it was created from, to which a reset leads back. */
  created_from: z.object({
    settings: settingsChange,
    callback_url: z.optional(z.string()),
    /** The time at which its clock is frozen from the start. */
    frozen_at: z.optional(time),
    /** The advertisers that it has from the start besides the usual ones. */
    advertisers: z.optional(z.array(advertiserContent).check(z.maxLength(maxParties))),
  }),
  // The operator's decisions, which no reset and no snapshot changes.
  /** The real time when the tenant is deleted; undefined for never. */
  expires_at: z.optional(time),
  tokens: z.optional(
    z.array(
      z.object({
        token_id: z.string(),
        /** To read, without keys and secrets, or everything in the tenant. */
        role: z.enum(['read', 'write']),
        /** A note on its owner. */
        name: z.optional(z.string()),
        /** SHA-256 of the whole text, hexadecimal. The text was shown once and is not stored. */
        hash: z.string().check(z.regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal')),
        /** Real time. */
        created_at: time,
      }),
    ),
  ),
  /** Hosts that its callbacks may go to, besides this machine and the hosts that the sandbox was started with. */
  callback_hosts: z.optional(z.array(z.string())),
  /** The keys and secrets that the operator chose, in place of those that the seed gives. */
  credentials: z.optional(
    z.object({
      publisher: z.optional(z.partial(publisherCredentials)),
      advertisers: z.optional(
        z.array(z.extend(z.pick(advertiser, { advertiser_id: true }), z.partial(advertiserCredentials).shape)),
      ),
    }),
  ),
  listener: account.shape.listener,
})

/** A stored tenant: its account, what it was created from, and its operator's decisions. */
export type TenantRecord = z.output<typeof tenantRecord>

/** A stored token of a tenant. */
export type TokenRecord = NonNullable<TenantRecord['tokens']>[number]

/** The part of a tenant that may hold its callbacks. */
export type Holding = Pick<TenantRecord, 'callbacks_held' | 'listener'>

/** Returns true if the callbacks of a tenant are not sent when they are due: they are held, or its listener is not there. */
export function isHolding({ callbacks_held, listener }: Holding): boolean {
  return callbacks_held === true || listener?.connected === false
}

/** A tenant as it is stored. Its record is untrusted: it may be damaged, or written by another version. */
export interface ListedTenant {
  readonly tenant: string
  /** A `TenantRecord`, unless something is wrong with it; the text as it is stored where that is not JSON. */
  readonly record: unknown
}

/** Gives criteria that are newer than the record their defaults. */
function withDefaults<Shape extends z.ZodMiniType>(criteria: Readonly<Record<string, Criterion>>, shape: Shape) {
  const filled = z.transform((stored: unknown): unknown =>
    typeof stored === 'object' ? { ...defaultsOf(criteria), ...stored } : stored,
  )
  return z.pipe(filled, shape)
}
