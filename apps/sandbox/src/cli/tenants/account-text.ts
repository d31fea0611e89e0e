import { isDeepStrictEqual } from 'node:util'
import type { Account } from '@lead-distribution/control-client'
import type { ControlReply } from '@lead-distribution/simulator'
import { plain } from '../printing/printing.ts'
import { cuttable, list, sections, table } from '../printing/table.ts'
import type { Session } from '../sandbox-verb.ts'

/** The settings of an account. */
export type Settings = Account['settings']

/** Settings as a table, their values as `settings set` takes them: all, or those of these names. */
export function settingsTable(settings: Settings, names: readonly string[] = Object.keys(settings)): string {
  const rows = Object.entries(settings)
    .filter(([name]) => names.includes(name))
    .map(([name, value]) => [name, cuttable(typeof value === 'string' ? value : JSON.stringify(value))])
  return table(['setting', 'value'], rows)
}

/** Prints an account. */
export async function printAccount(session: Session, account: Account): Promise<void> {
  // The engine has the default profile. It takes a quarter of a second to load, which scripts need not wait for.
  if (session.json) return session.print(account, String)
  const { proseProfile } = await import('@lead-distribution/engine')
  session.print(account, () => accountText(account, { ...proseProfile, lifecycle: [] }))
}

/** Accounts as a table, without keys and secrets; below it the tenants that could not be opened. */
export function accountTable({ tenants, broken }: Pick<ControlReply<'listTenants'>, 'tenants' | 'broken'>): string {
  const rows = tenants.map(({ tenant, settings, publisher, products, advertisers }) => [
    tenant,
    settings.profile,
    publisher.publisher_id,
    products.filter(({ active }) => active).length,
    advertisers.length,
  ])
  const accounts = table(['tenant', 'profile', 'publisher', 'active products', 'advertisers'], rows)
  if (!broken) return accounts
  const reasons = table(
    ['broken tenant', 'reason'],
    broken.map(({ tenant, reason }) => [tenant, reason]),
  )
  return `${accounts}\n\n${reasons}\n\nExport what is stored of one by \`tenants raw\`, then reset or delete it.`
}

/** An account with its keys, secrets and criteria; of its settings those that differ from the default ones. */
function accountText(account: Account, defaults: Settings): string {
  const { tenant, base_url, publisher, products, advertisers, blacklist, settings, callbacks_held, expires_at } =
    account
  const about = list([
    ['tenant', tenant],
    ['base URL', base_url],
    ['profile', settings.profile],
    ['publisher', publisher.publisher_id],
    ['apikey', publisher.api_key],
    ['callbacks go to', publisher.callback_url],
    ['callbacks', callbacks_held ? 'held' : undefined],
    ['callback secret', publisher.callback_secret],
    ['deleted at', expires_at],
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

/** A row for each criterion, a column for each product or advertiser. */
function criteriaTable(owners: readonly { readonly name: string; readonly criteria: object }[]): string {
  const values = owners.map(({ criteria }) => new Map<string, unknown>(Object.entries(criteria)))
  const names = [...new Set(values.flatMap(each => [...each.keys()]))]
  const rows = names.map(name => [name, ...values.map(each => plain(each.get(name)))])
  return table(['criterion', ...owners.map(({ name }) => name)], rows)
}
