import type { FieldIssue } from '@lead-distribution/contract'
import { duration, isSameUuid } from '@lead-distribution/engine'
import type { Refusal } from '@lead-distribution/http'
import * as z from 'zod/mini'
import { maxParties, type TenantChange } from '../tenants/change-tenant.ts'
import { account, advertiserChange, blacklist, productChange, settingsChange } from './account.ts'
import { refuseFields } from './control-error.ts'

const { publisher } = account.shape

/** The body that changes a tenant. An account as the sandbox shows it is one too. */
export const tenantChange = z.strictObject({
  ...z.partial(account).shape,
  publisher: z.optional(z.partial(publisher)),
  settings: z.optional(settingsChange),
  callback_url: z.optional(z.nullable(z.string())),
  expires_in: z.optional(z.nullable(duration)),
  products: z.optional(z.array(productChange).check(z.maxLength(maxParties))),
  advertisers: z.optional(z.array(advertiserChange).check(z.maxLength(maxParties))),
  blacklist: z.optional(blacklist),
})

/** A change of a tenant, validated. */
type AccountChange = z.output<typeof tenantChange>

type Account = z.output<typeof account>

/** A change of a tenant, or its refusal. */
type ReadChange =
  | { change: TenantChange; expires_in?: AccountChange['expires_in']; refused?: never }
  | { change?: never; expires_in?: never; refused: Refusal }

/**
 * Reads a change of an account. What the account shows and cannot change may be sent back as it is: an account that was
 * read is edited and sent back whole.
 */
export function readChange(input: AccountChange, shown: Account): ReadChange {
  const { publisher = {}, advertisers = [], callback_url, expires_in, ...others } = input
  const { settings, products, blacklist, callbacks_held, ...fixed } = others
  const { callback_url: shownUrl = shown.publisher.callback_url, ...ids } = publisher
  const issues = [
    ...differences(fixed, shown, ''),
    ...differences(ids, shown.publisher, 'publisher.'),
    ...advertisers.flatMap(({ advertiser_id, api_key }, index) => {
      const { api_key: own } = shown.advertisers.find(other => isSameUuid(other.advertiser_id, advertiser_id)) ?? {}
      return differences({ api_key }, { api_key: own }, `advertisers.${index}.`)
    }),
  ]
  if (issues.length > 0) return { refused: refuseFields(...issues) }
  // The shown one is the tenant's inbox where it names none: it stays none.
  const edited = shownUrl === shown.publisher.callback_url ? undefined : shownUrl
  const changed = advertisers.map(({ api_key: _own, ...advertiser }) => advertiser)
  const url = callback_url === undefined ? edited : callback_url
  const change = { settings, products, blacklist, callbacks_held, callback_url: url, advertisers: changed }
  return { change, expires_in }
}

function differences(given: object, shown: object, path: string): FieldIssue[] {
  const own = new Map<string, unknown>(Object.entries(shown))
  return Object.entries(given)
    .filter(([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(own.get(name)))
    .map(([name]) => ({
      field: `${path}${name}`,
      issue: 'cannot change: leave it out, or send it as the account shows it',
    }))
}
