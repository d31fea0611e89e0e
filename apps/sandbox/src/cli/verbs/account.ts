import { isDeepStrictEqual } from 'node:util'
import type { Account } from '@lead-distribution/control-client'
import type { ControlReply } from '@lead-distribution/simulator'
import { InvalidArgumentError } from 'commander'
import { CommandError, exitCodes } from '../exit-codes.ts'
import { argument, flag, repeatable } from '../flags.ts'
import { cuttable, list, plain, sections, table } from '../printing.ts'
import { type Session, verb } from '../run-verb.ts'
import { jsonOrText, readJson } from '../values.ts'

/** `lead-sandbox tenants change`. */
export const change = verb({
  does: 'Change any field of an account except ids: criteria, blacklist, callback URL, settings, keys and secrets.',
  takes: {
    name: argument('[name]', 'the tenant (default: the one from --tenant)'),
    file: flag('<file>', 'the edited output of `tenants show --json`, or a part of it; - for stdin'),
    callbackUrl: flag('<url>', 'its callback URL; `inbox` for its own inbox'),
    set: repeatable(
      '<path=value>',
      'a setting, or a field by its path, as JSON or plain text',
      text => [accountEdit(text)],
      'nothing',
    ),
  },
  examples: [
    '--callback-url http://127.0.0.1:3000/callbacks',
    '--set gender=required --set products.0.criteria.min_age=21',
    '--set publisher.api_key=sandbox_pub_shop_0123456789abcdef',
    `--set 'blacklist=[{"email":"refused@example.com"}]'`,
    'qa --file qa.json',
  ],
  async call(session, { name = session.tenant.name, file, callbackUrl, set }) {
    if (file === undefined && callbackUrl === undefined && set.length === 0)
      throw new CommandError('Specify the change: pass --set, --callback-url or --file.', exitCodes.usage)
    const tenant = session.sandbox.control(name)
    const edited = {
      // The control plane rejects a file that is not an object.
      ...(file === undefined ? {} : ((await readJson(file)) as object)),
      ...(set.length === 0 ? {} : editedParts(await tenant.show(), set)),
      ...(callbackUrl === undefined ? {} : { callback_url: callbackUrl === 'inbox' ? null : callbackUrl }),
    }
    await printAccount(session, await tenant.update(edited))
  },
})

interface AccountEdit {
  readonly path: readonly string[]
  readonly value: unknown
}

/** Parses `path=value`: a field by its path, with indexes or ids for products and advertisers, or a setting. */
function accountEdit(text: string): AccountEdit {
  const [, path, value = ''] = /^([\w.-]+)=(.*)$/s.exec(text) ?? []
  if (path === undefined)
    throw new InvalidArgumentError(
      'Pass a path and a value, such as gender=required or products.0.criteria.min_age=21.',
    )
  return { path: path.split('.'), value: jsonOrText(value) }
}

type Fields = Record<string, unknown>

/**
 * Returns the edited parts of an account in the form that the control plane accepts. A name that is not an account
 * field is a setting. Only edited settings are sent; the others continue to follow the profile.
 */
function editedParts(account: Account, edits: readonly AccountEdit[]): object {
  const edited = structuredClone(account) as unknown as Fields
  const parts: Fields = {}
  const settings: Fields = {}
  for (const { path, value } of edits) {
    const [top = '', name] = path
    if (path.length === 1 && !Object.hasOwn(edited, top)) settings[top] = value
    else if (top === 'settings' && name !== undefined && path.length === 2) settings[name] = value
    else {
      edit(edited, path, value)
      parts[top] = edited[top]
    }
  }
  return { ...parts, ...(Object.keys(settings).length > 0 && { settings }) }
}

function edit(root: Fields, path: readonly string[], value: unknown): void {
  let parent: unknown = root
  for (const name of path.slice(0, -1)) parent = below(parent, name)
  const last = path.at(-1) ?? ''
  const place = Array.isArray(parent) ? placeIn(parent, last) : last
  if (typeof parent !== 'object' || parent === null || place === '' || place === -1)
    throw new CommandError(
      `--set ${path.join('.')} is not a field of this account. To see its fields: lead-sandbox tenants show --json.`,
      exitCodes.usage,
    )
  Object.assign(parent, { [place]: value })
}

/** Returns a field; in a list, the entry at an index or with an id. */
function below(parent: unknown, name: string): unknown {
  if (typeof parent !== 'object' || parent === null) return undefined
  if (!Array.isArray(parent)) return Object.hasOwn(parent, name) ? Reflect.get(parent, name) : undefined
  return parent[placeIn(parent, name)]
}

/** Returns the index of a list entry given by index or id; -1 if there is none. */
function placeIn(list: readonly object[], name: string): number {
  return /^\d+$/.test(name) ? Number(name) : list.findIndex(entry => name !== '' && Object.values(entry).includes(name))
}

export type Settings = Account['settings']

/** Formats settings as a table, with values in the form that `settings set` accepts: all, or those with these names. */
export function settingsTable(settings: Settings, names: readonly string[] = Object.keys(settings)): string {
  const shown = Object.entries(settings).filter(([name]) => names.includes(name))
  return table(shown, {
    setting: ([name]) => name,
    value: ([, value]) => cuttable(typeof value === 'string' ? value : JSON.stringify(value)),
  })
}

export async function printAccount({ print }: Session, account: Account): Promise<void> {
  // Loaded here, because zod takes longer to load than a verb.
  const { profiles } = await import('@lead-distribution/contract/shapes')
  print(account, () => accountText(account, profiles.prose))
}

/** Formats accounts as a table without keys and secrets, followed by the tenants that could not be opened. */
export function accountTable({ tenants, broken }: Pick<ControlReply<'listTenants'>, 'tenants' | 'broken'>): string {
  const accounts = table(tenants, {
    tenant: 'tenant',
    profile: ({ settings }) => settings.profile,
    publisher: ({ publisher }) => publisher.publisher_id,
    'active products': ({ products }) => products.filter(({ active }) => active).length,
    advertisers: ({ advertisers }) => advertisers.length,
  })
  if (!broken) return accounts
  const reasons = table(broken, { 'broken tenant': 'tenant', reason: 'reason' })
  return `${accounts}\n\n${reasons}\n\nExport the stored data of a tenant with \`tenants raw\`, then reset or delete it.`
}

/** Formats an account with its keys, secrets and criteria, and the settings that differ from the default. */
function accountText(account: Account, defaults: Settings): string {
  const {
    tenant,
    base_url,
    publisher,
    products,
    advertisers,
    blacklist,
    settings,
    callbacks_held,
    listener,
    expires_at,
  } = account
  const about = list([
    ['tenant', tenant],
    ['base URL', base_url],
    ['profile', settings.profile],
    ['publisher', publisher.publisher_id],
    ['apikey', publisher.api_key],
    ['callbacks go to', publisher.callback_url],
    [
      'listener',
      listener && `${listener.forward_to}${listener.connected ? '' : ', not connected: callbacks are held'}`,
    ],
    ['callbacks', callbacks_held ? 'held' : undefined],
    ['callback secret', publisher.callback_secret],
    ['deleted at', expires_at],
    ['blacklist', `${blacklist.length} ${blacklist.length === 1 ? 'customer' : 'customers'}`],
  ])
  const offered = table(products, {
    product: 'product_id',
    name: 'name',
    state: ({ active }) => (active ? 'active' : 'switched off'),
  })
  const isForwarded = advertisers.some(({ backend_url }) => backend_url != null)
  const asked = table(advertisers, {
    advertiser: 'advertiser_id',
    name: 'name',
    apikey: 'api_key',
    'postback secret': 'postback_secret',
    ...(isForwarded && { 'leads go to': ({ backend_url }: Account['advertisers'][number]) => backend_url ?? '' }),
  })
  const differing = Object.keys(settings).filter(name => {
    // Not part of a profile, because the default depends on how the sandbox was started.
    if (name === 'journal_bodies') return false
    const key = name as keyof Settings
    return !isDeepStrictEqual(settings[key], defaults[key])
  })
  const blocks = sections(
    ['Products', offered],
    ['Product criteria', criteriaTable(products)],
    ['Advertisers, in the order in which they get a lead', asked],
    ['Advertiser criteria', criteriaTable(advertisers)],
    ['Settings that differ from the default profile', settingsTable(settings, differing)],
  )
  return `${about}\n\n${blocks}`
}

function criteriaTable(owners: readonly { readonly name: string; readonly criteria: object }[]): string {
  const columns = owners.map(({ name, criteria }) => ({
    name,
    values: new Map<string, unknown>(Object.entries(criteria)),
  }))
  const names = new Set(columns.flatMap(({ values }) => [...values.keys()]))
  return table(
    [...names],
    [
      ['criterion', String],
      ...columns.map(({ name, values }) => [name, (each: string) => plain(values.get(each))] as const),
    ],
  )
}
