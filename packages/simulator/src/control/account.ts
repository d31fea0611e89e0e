import type { FieldIssue } from '@lead-distribution/contract'
import { advertiserCriteriaShape, dateTime, productCriteriaShape, uuid } from '@lead-distribution/contract/shapes'
import { duration } from '@lead-distribution/engine'
import type { Refusal } from '@lead-distribution/http'
import * as z from 'zod/mini'
import { tenantSettings } from '../tenants/account.ts'
import {
  blacklist,
  blacklistEntry,
  displayName,
  maxParties,
  publisherCredentials,
  settingsChange,
  type TenantChange,
  tenantChange,
} from '../tenants/change-tenant.ts'
import { refuseFields } from './control-error.ts'

/** An advertiser besides its identity. */
export const advertiserContent = z.strictObject({
  advertiser_id: uuid,
  name: displayName,
  priority: z.int(),
  backend_url: z.optional(z.string()),
  criteria: advertiserCriteriaShape,
})

/** The part of an account besides its identity, with the bounds of a change. A file can bring it along. */
export const accountContent = z.strictObject({
  advertisers: z.array(advertiserContent).check(z.maxLength(maxParties)),
  products: z
    .array(z.strictObject({ product_id: uuid, name: displayName, active: z.boolean(), criteria: productCriteriaShape }))
    .check(z.maxLength(maxParties)),
  blacklist,
  settings: settingsChange,
  callbacks_held: z.optional(z.boolean()),
})

/** An account as the control plane shows it, keys and secrets included: it is what its user integrates with. */
export const account = z.strictObject({
  tenant: z.string(),
  base_url: z.string(),
  publisher: z.strictObject({
    publisher_id: uuid,
    api_key: z.string(),
    callback_url: z.string(),
    callback_secret: z.string(),
  }),
  advertisers: z.array(
    z.strictObject({
      advertiser_id: uuid,
      name: z.string(),
      priority: z.int(),
      api_key: z.string(),
      postback_secret: z.string(),
      backend_url: z.optional(z.string()),
      criteria: advertiserCriteriaShape,
    }),
  ),
  products: z.array(
    z.strictObject({ product_id: uuid, name: z.string(), active: z.boolean(), criteria: productCriteriaShape }),
  ),
  blacklist: z.array(blacklistEntry),
  settings: tenantSettings,
  /** True if its callbacks wait until this is false again, whatever its clock shows. */
  callbacks_held: z.boolean(),
  /** Present while its callbacks go to a listener in place of the callback URL; held while that is not connected. */
  listener: z.optional(z.strictObject({ listener_id: z.string(), forward_to: z.string(), connected: z.boolean() })),
  /** Real time, whatever the tenant's clock shows; absent where it stays. */
  expires_at: z.optional(dateTime),
})

const { publisher } = account.shape

export const publisherChange = z.extend(z.partial(publisher), publisherCredentials.shape)

/** The body that changes a tenant. An account as the sandbox shows it is one too. */
export const accountChange = z.strictObject({
  ...z.partial(account).shape,
  ...tenantChange.shape,
  publisher: z.optional(publisherChange),
  expires_in: z.optional(z.nullable(duration)),
})

type AccountChange = z.output<typeof accountChange>

type Account = z.output<typeof account>

type ReadChange =
  | { change: TenantChange; expires_in?: AccountChange['expires_in']; refused?: never }
  | { change?: never; expires_in?: never; refused: Refusal }

/** Reads a change of an account. What the account shows may be sent back and changes nothing. */
export function readChange(input: AccountChange, shown: Account): ReadChange {
  const { publisher = {}, advertisers = [], callback_url, expires_in, ...others } = input
  const { settings, products, blacklist, callbacks_held, remove, ...fixed } = others
  const { callback_url: shownUrl = shown.publisher.callback_url, publisher_id, ...credentials } = publisher
  const issues = [...differences(fixed, shown, ''), ...differences({ publisher_id }, shown.publisher, 'publisher.')]
  if (issues.length > 0) return { refused: refuseFields(...issues) }
  // The shown one is the tenant's inbox where it names none: it stays none.
  const edited = shownUrl === shown.publisher.callback_url ? undefined : shownUrl
  const chosen = advertisers.map(({ api_key, postback_secret, ...advertiser }) => {
    const own = shown.advertisers.find(other => other.advertiser_id === advertiser.advertiser_id)
    return { ...advertiser, ...edits({ api_key, postback_secret }, own ?? {}) }
  })
  const url = callback_url === undefined ? edited : callback_url
  const change = {
    settings,
    products,
    blacklist,
    remove,
    callbacks_held,
    callback_url: url,
    publisher: edits(credentials, shown.publisher),
    advertisers: chosen,
  }
  return { change, expires_in }
}

/** Returns the given fields that differ from those that an account shows. */
function edits<Given extends object>(given: Given, shown: Partial<Given>): Partial<Given> {
  const own = new Map<string, unknown>(Object.entries(shown))
  const differing = Object.entries(given).filter(
    ([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(own.get(name)),
  )
  return Object.fromEntries(differing) as Partial<Given>
}

function differences(given: object, shown: object, path: string): FieldIssue[] {
  return Object.keys(edits(given, shown)).map(name => ({
    field: `${path}${name}`,
    issue: 'cannot change: leave it out, or send it as the account shows it',
  }))
}
