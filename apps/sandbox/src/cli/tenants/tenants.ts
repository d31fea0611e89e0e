import { isDeepStrictEqual } from 'node:util'
import type { Account } from '@lead-distribution/control-client'
import type { ControlReply } from '@lead-distribution/simulator'
import { type Command, Option } from 'commander'
import { plain } from '../printing/printing.ts'
import { cuttable, list, sections, table } from '../printing/table.ts'
import { type Session, sandboxVerb } from '../sandbox-verb.ts'
import { dateTime, duration, type SomeSettings, setting } from '../values.ts'
import { describeExpire, tokenRoles, tokenText } from './administration.ts'

/** `lead-sandbox settings`. The part of the account that holds them, and nothing else. */
export function describeSettings(command: Command): void {
  command.helpCommand(false)
  sandboxVerb<unknown, []>(
    command.command('show').description('Show all settings.'),
    ['settings show'],
    async ({ tenant, print }) => print((await tenant.show()).settings, settingsTable),
  )
  sandboxVerb<unknown, [SomeSettings]>(
    command
      .command('set')
      .description('Change settings, all at once; the others stay.')
      .argument('<name=value...>', 'the value as JSON, or as plain text', setting),
    [
      'settings set gender=required duplicate_window=PT5M',
      `settings set 'callback_retries=["PT1S","PT1M"]'`,
      `settings set 'lifecycle=[{"event":"registration","after":"PT1M"}]'`,
    ],
    async ({ tenant, print }, _flags, settings) => {
      const account = await tenant.update({ settings })
      // A profile changes other settings too.
      const changed = 'profile' in settings ? undefined : Object.keys(settings)
      print(account.settings, all => settingsTable(all, changed))
    },
  )
}

/** The settings of an account. */
export type Settings = Account['settings']

/** Settings as a table, their values as `settings set` takes them: all, or those of these names. */
export function settingsTable(settings: Settings, names: readonly string[] = Object.keys(settings)): string {
  const rows = Object.entries(settings)
    .filter(([name]) => names.includes(name))
    .map(([name, value]) => [name, cuttable(typeof value === 'string' ? value : JSON.stringify(value))])
  return table(['setting', 'value'], rows)
}

interface CreationFlags {
  readonly name?: string
  readonly seed?: string
  readonly profile?: Account['settings']['profile']
  readonly callbackUrl?: string
  readonly frozenAt?: string
  readonly set?: SomeSettings
  readonly expiresIn?: string
  /** True where no role is given. */
  readonly token?: true | 'read' | 'write'
}

/** `lead-sandbox tenants`. */
export function describeTenants(command: Command): void {
  command.helpCommand(false)
  sandboxVerb(
    command
      .command('create')
      .description('Create a tenant, and show its account with ids and keys.')
      .option('--name <name>', 'lower-case letters, digits and hyphens (default: random)')
      .option('--seed <text>', 'equal name and seed give equal ids and keys')
      .addOption(
        new Option('--profile <name>', 'how the open points of the specification are interpreted').choices([
          'prose',
          'formal',
        ]),
      )
      .option('--callback-url <url>', 'where its callbacks go (default: its own inbox)')
      .addOption(
        new Option('--expires-in <duration>', 'delete it after this long, such as 7d (default: never)').argParser(
          duration,
        ),
      )
      .addOption(new Option('--token [role]', 'create a token for it too (default role: write)').choices(tokenRoles))
      .addOption(new Option('--frozen-at <time>', 'freeze its clock at this time').argParser(dateTime))
      .addOption(
        new Option('--set <name=value>', 'a setting, as with `settings set`; may be given again').argParser(setting),
      ),
    [
      'tenants create --name qa --seed 7',
      'tenants create --name ci-123 --expires-in 2h --token',
      'tenants create --frozen-at 2026-01-31T09:30:00Z --json',
      `tenants create --set gender=required --set 'lifecycle=[{"event":"registration","after":"PT1M"}]'`,
    ],
    create,
  )
  sandboxVerb<unknown, []>(
    command.command('list').description('List all tenants, without their keys (--json shows them).'),
    ['tenants list'],
    async ({ sandbox, print }) => print(await sandbox.listTenants(), accountTable),
  )
  sandboxVerb<unknown, [string?]>(
    command
      .command('show')
      .description(
        'Show the account of a tenant: base URL, ids, keys, criteria, and settings that differ from the default.',
      )
      .argument('[name]', 'the tenant (default: that of --tenant)'),
    ['tenants show', 'tenants show qa --json'],
    async (session, _flags, name = session.tenant.name) =>
      printAccount(session, await session.sandbox.control(name).show()),
  )
  describeExpire(command.command('expire'))
  sandboxVerb<unknown, [string]>(
    command.command('delete').description('Delete a tenant and everything in it.').argument('<name>', 'the tenant'),
    ['tenants delete qa'],
    async ({ sandbox, print }, _flags, name) =>
      print(await sandbox.control(name).delete(), ({ deleted }) => `The tenant ${deleted} is gone.`),
  )
}

async function create(session: Session, flags: CreationFlags): Promise<void> {
  const { name, seed, profile, callbackUrl, frozenAt, set, expiresIn, token: role } = flags
  const creation = { name, seed, profile, callback_url: callbackUrl, frozen_at: frozenAt, settings: set }
  const tenant = await session.sandbox.createTenant({ ...creation, expires_in: expiresIn })
  const token = role && (await tenant.tokens.create({ role: role === true ? 'write' : role }))
  if (session.json) return session.print({ ...tenant.account, ...(token && { token }) }, String)
  await printAccount(session, tenant.account)
  if (token) console.log(`\n${tokenText(token)}`)
}

async function printAccount(session: Session, account: Account): Promise<void> {
  // The engine has the default profile. It takes a quarter of a second to load, which scripts need not wait for.
  if (session.json) return session.print(account, String)
  const { proseProfile } = await import('@lead-distribution/engine')
  session.print(account, () => accountText(account, { ...proseProfile, lifecycle: [] }))
}

/** `lead-sandbox reset`. */
export function describeReset(command: Command): void {
  sandboxVerb<unknown, []>(command, ['reset', 'reset --tenant qa'], async ({ tenant, print }) =>
    print(await tenant.reset(), account => `The tenant ${account.tenant} is as it was made.`),
  )
}

/** Accounts as a table, without keys and secrets. */
export function accountTable({ tenants }: Pick<ControlReply<'listTenants'>, 'tenants'>): string {
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
  const { tenant, base_url, publisher, products, advertisers, blacklist, settings, expires_at } = account
  const about = list([
    ['tenant', tenant],
    ['base URL', base_url],
    ['profile', settings.profile],
    ['publisher', publisher.publisher_id],
    ['apikey', publisher.api_key],
    ['callbacks go to', publisher.callback_url],
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
