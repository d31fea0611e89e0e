import type { Reply } from '../connection/session.ts'
import { list, sections, table } from '../printing/table.ts'

type Account = Reply<'showTenant'>

/** Accounts as a table, without keys and secrets. */
export function accountTable({ tenants }: Reply<'listTenants'>): string {
  const rows = tenants.map(({ tenant, settings, publisher, products, advertisers }) => [
    tenant,
    settings.profile,
    publisher.publisher_id,
    products.filter(({ active }) => active).length,
    advertisers.length,
  ])
  return table(['tenant', 'profile', 'publisher', 'active products', 'advertisers'], rows)
}

/** An account with its keys and secrets: all that its user integrates with. */
export function accountText({ tenant, base_url, publisher, products, advertisers, settings }: Account): string {
  const about = list([
    ['tenant', tenant],
    ['base URL', base_url],
    ['profile', settings.profile],
    ['publisher', publisher.publisher_id],
    ['apikey', publisher.api_key],
    ['callbacks go to', publisher.callback_url],
    ['callback secret', publisher.callback_secret],
  ])
  const offered = products.map(({ product_id, name, active }) => [product_id, name, active ? 'active' : 'switched off'])
  const asked = advertisers.map(each => [each.advertiser_id, each.name, each.api_key, each.postback_secret])
  const blocks = sections(
    ['Products', table(['product', 'name', 'state'], offered)],
    [
      'Advertisers, in the order in which they are asked',
      table(['advertiser', 'name', 'apikey', 'postback secret'], asked),
    ],
  )
  return `${about}\n\n${blocks}`
}
