import { type FieldIssue, isSameUuid } from '@lead-distribution/contract'
import { uuid } from '@lead-distribution/contract/shapes'
import { duration } from '@lead-distribution/engine'
import type { Refusal } from '@lead-distribution/http'
import * as z from 'zod/mini'
import { maxParties, type TenantChange } from '../tenants/change-tenant.ts'
import { account, advertiserChange, blacklist, productChange, publisherCredentials, settingsChange } from './account.ts'
import { refuseFields } from './control-error.ts'

const { publisher } = account.shape

export const publisherChange = z.extend(z.partial(publisher), publisherCredentials.shape)

/** The body that changes a tenant. An account as the sandbox shows it is one too. */
export const tenantChange = z.strictObject({
  ...z.partial(account).shape,
  publisher: z.optional(publisherChange),
  settings: z.optional(settingsChange),
  callback_url: z.optional(z.nullable(z.string())),
  expires_in: z.optional(z.nullable(duration)),
  products: z.optional(z.array(productChange).check(z.maxLength(maxParties))),
  advertisers: z.optional(z.array(advertiserChange).check(z.maxLength(maxParties))),
  blacklist: z.optional(blacklist),
  /** Ids of products and advertisers to remove. */
  remove: z.optional(z.array(uuid).check(z.maxLength(2 * maxParties))),
})

type AccountChange = z.output<typeof tenantChange>

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
    const own = shown.advertisers.find(other => isSameUuid(other.advertiser_id, advertiser.advertiser_id))
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
