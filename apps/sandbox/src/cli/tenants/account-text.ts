import { isDeepStrictEqual } from 'node:util'
import type { Reply } from '../connection/session.ts'
import { plain } from '../printing/plain.ts'
import { list, sections, table } from '../printing/table.ts'
import { type Settings, settingsTable } from './settings-table.ts'

/** An account as the control plane shows it. */
export type Account = Reply<'showTenant'>

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

/** An account with its keys, secrets and criteria; of its settings those that differ from the default ones. */
export function accountText(account: Account, defaults: Settings): string {
  const { tenant, base_url, publisher, products, advertisers, blacklist, settings } = account
  const about = list([
    ['tenant', tenant],
    ['base URL', base_url],
    ['profile', settings.profile],
    ['publisher', publisher.publisher_id],
    ['apikey', publisher.api_key],
    ['callbacks go to', publisher.callback_url],
    ['callback secret', publisher.callback_secret],
    ['blacklist', `${blacklist.length} ${blacklist.length === 1 ? 'customer' : 'customers'}`],
  ])
  const offered = products.map(({ product_id, name, active }) => [product_id, name, active ? 'active' : 'switched off'])
  const asked = advertisers.map(each => [each.advertiser_id, each.name, each.api_key, each.postback_secret])
  const differing = Object.keys(settings).filter(name => {
    const key = name as keyof Settings
    return !isDeepStrictEqual(settings[key], defaults[key])
  })
  const blocks = sections(
    ['Products', table(['product', 'name', 'state'], offered)],
    ['Criteria of the products', criteriaTable(products)],
    [
      'Advertisers, in the order in which they are asked',
      table(['advertiser', 'name', 'apikey', 'postback secret'], asked),
    ],
    ['Criteria of the advertisers', criteriaTable(advertisers)],
    [
      'Settings that differ from the default profile',
      differing.length > 0 ? settingsTable(settings, differing) : undefined,
    ],
  )
  return `${about}\n\n${blocks}`
}

/** A criterion a line, and a column for each whose they are. */
function criteriaTable(owners: readonly { readonly name: string; readonly criteria: object }[]): string {
  const values = owners.map(({ criteria }) => new Map<string, unknown>(Object.entries(criteria)))
  const names = [...new Set(values.flatMap(each => [...each.keys()]))]
  const rows = names.map(name => [name, ...values.map(each => plain(each.get(name)))])
  return table(['criterion', ...owners.map(({ name }) => name)], rows)
}
