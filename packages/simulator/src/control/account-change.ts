import type { FieldIssue } from '@lead-distribution/contract'
import { isSameUuid } from '@lead-distribution/engine'
import type { Refusal, ReplyOf } from '@lead-distribution/http'
import type { TenantChange } from '../tenants/change-tenant.ts'
import { refuseFields } from './control-error.ts'
import type { AccountChange, tenantOperations } from './tenants.ts'

type Account = ReplyOf<typeof tenantOperations.showTenant>

/** What a change does, or why it is refused. */
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
    .filter(([name, value]) => value !== undefined && value !== own.get(name))
    .map(([name]) => ({
      field: `${path}${name}`,
      issue: 'cannot change: leave it out, or send it as the account shows it',
    }))
}
