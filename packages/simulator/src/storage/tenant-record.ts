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

// Another version or an editor may have written a stored tenant, so it must meet the control plane's bounds.

/** Milliseconds since 1970. */
const time = z.int().check(z.gte(earliestTime), z.lte(latestTime))

/** An advertiser without its key and secret, which are derived from the tenant's seed or chosen. */
export const advertiserContent = z.omit(advertiser, { api_key: true, postback_secret: true })

/** The shape of a stored tenant: its account, the input it was created from, and the operator's decisions. */
export const tenantRecord = z.object({
  /** The tenant's name, the specification's subdomain `{tenant}`. */
  tenant: z.string().check(z.minLength(1), z.maxLength(63)),
  /** The source of the tenant's ids, keys and random numbers. Secret, because it reveals the keys. */
  seed: z.string().check(z.minLength(1), z.maxLength(200)),
  /** Real time. */
  created_at: time,
  /** Without a callback URL, callbacks go to the tenant's own inbox. */
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
  /** The tenant's own settings, including its profile. */
  settings: settingsChange,
  callbacks_held: z.optional(account.shape.callbacks_held),
  /** The input that the tenant was created from. A reset returns to it. */
  created_from: z.object({
    settings: settingsChange,
    callback_url: z.optional(z.string()),
    /** The time at which the clock is initially frozen. */
    frozen_at: z.optional(time),
    /** Initial advertisers besides the default ones. */
    advertisers: z.optional(z.array(advertiserContent).check(z.maxLength(maxParties))),
  }),
  // The operator's decisions, which resets and snapshots don't change.
  /** The real time at which the tenant expires; undefined for never. */
  expires_at: z.optional(time),
  tokens: z.optional(
    z.array(
      z.object({
        token_id: z.string(),
        /** `read` hides keys and secrets, `write` opens everything in the tenant. */
        role: z.enum(['read', 'write']),
        /** A note on its owner. */
        name: z.optional(z.string()),
        /** SHA-256 of the whole text, in hexadecimal. The text was shown once and is not stored. */
        hash: z.string().check(z.regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal')),
        /** Real time. */
        created_at: time,
      }),
    ),
  ),
  /** Hosts that callbacks may go to, besides this machine and the hosts allowed at startup. */
  callback_hosts: z.optional(z.array(z.string())),
  /** The keys and secrets that the operator chose, in place of those derived from the seed. */
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

/** A stored tenant: its account, the input it was created from, and the operator's decisions. */
export type TenantRecord = z.output<typeof tenantRecord>

/** A stored token of a tenant. */
export type TokenRecord = NonNullable<TenantRecord['tokens']>[number]

/** The part of a tenant that can put its callbacks on hold. */
export type Holding = Pick<TenantRecord, 'callbacks_held' | 'listener'>

/** Returns true if due callbacks are not sent, because they are on hold or the listener is not connected. */
export function isHolding({ callbacks_held, listener }: Holding): boolean {
  return callbacks_held === true || listener?.connected === false
}

/** A stored tenant. Its record is untrusted: it may be damaged, or written by another version. */
export interface ListedTenant {
  readonly tenant: string
  /** A `TenantRecord` if it is valid; the stored text if it is not JSON. */
  readonly record: unknown
}

/** Sets the defaults of criteria that are newer than the record. */
function withDefaults<Shape extends z.ZodMiniType>(criteria: Readonly<Record<string, Criterion>>, shape: Shape) {
  const filled = z.transform((stored: unknown): unknown =>
    typeof stored === 'object' ? { ...defaultsOf(criteria), ...stored } : stored,
  )
  return z.pipe(filled, shape)
}
