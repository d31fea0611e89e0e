import type { FieldIssue } from '@lead-distribution/contract'
import type { account } from '@lead-distribution/contract/shapes'
import type { Refusal } from '@lead-distribution/http'
import type * as z from 'zod/mini'
import { callbackUrlOf } from '../tenants/account.ts'
import type { AccountChange } from '../tenants/change-tenant.ts'
import type { Tenant } from '../tenants/runtime.ts'
import type { Urls } from '../urls.ts'
import { refuseFields } from './control-error.ts'
import { iso } from './shapes.ts'

/** Returns an account with its keys and secrets. */
export function accountView({ record, account }: Pick<Tenant, 'record' | 'account'>, urls: Urls) {
  const { publisher, advertisers, products, blacklist, listener } = record
  return {
    tenant: record.tenant,
    base_url: urls.base,
    publisher: { ...publisher, callback_url: callbackUrlOf(record, urls) },
    advertisers,
    products,
    blacklist,
    settings: account.settings,
    callbacks_held: record.callbacks_held ?? false,
    ...(listener && { listener }),
    ...(record.expires_at === undefined ? {} : { expires_at: iso(record.expires_at) }),
  }
}

type ReadChange = { change: AccountChange; refused?: never } | { change?: never; refused: Refusal }

/** Reads an account change. Read-only fields may be sent back if they are unchanged. */
export function readChange(input: AccountChange, shown: z.output<typeof account>): ReadChange {
  const { publisher = {}, advertisers = [], callback_url, settings, products, blacklist, ...others } = input
  const { callbacks_held, remove, expires_in, ...fixed } = others
  const { callback_url: shownUrl = shown.publisher.callback_url, publisher_id, ...credentials } = publisher
  const issues = [...differences(fixed, shown, ''), ...differences({ publisher_id }, shown.publisher, 'publisher.')]
  if (issues.length > 0) return { refused: refuseFields(...issues) }
  // An account without a callback URL shows its inbox. Sent back, it must not become the callback URL.
  const edited = shownUrl === shown.publisher.callback_url ? undefined : shownUrl
  const chosen = advertisers.map(({ api_key, postback_secret, ...advertiser }) => {
    const own = shown.advertisers.find(other => other.advertiser_id === advertiser.advertiser_id)
    return { ...advertiser, ...edits({ api_key, postback_secret }, own ?? {}) }
  })
  const change = {
    settings,
    products,
    blacklist,
    remove,
    callbacks_held,
    expires_in,
    callback_url: callback_url === undefined ? edited : callback_url,
    publisher: edits(credentials, shown.publisher),
    advertisers: chosen,
  }
  return { change }
}

/** Returns the given fields that differ from the account's. */
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
