import { type Command, Option } from 'commander'
import { sandboxVerb } from '../connection/sandbox-verb.ts'
import type { Session } from '../connection/session.ts'
import { setting } from '../values/setting.ts'
import { dateTime } from '../values/times.ts'
import { type Account, accountTable, accountText } from './account-text.ts'

interface CreationFlags {
  readonly name?: string
  readonly seed?: string
  readonly profile?: string
  readonly callbackUrl?: string
  readonly frozenAt?: string
  readonly set?: Readonly<Record<string, unknown>>
}

/** `lead-sandbox tenants`. */
export function describeTenants(command: Command): void {
  command.helpCommand(false)
  sandboxVerb(
    command
      .command('create')
      .description('Make a tenant, and show its account with ids and keys.')
      .option('--name <name>', 'lower-case letters, digits and hyphens (default: drawn)')
      .option('--seed <text>', 'equal name and seed give equal ids and keys')
      .addOption(
        new Option('--profile <name>', 'how what the specification leaves open is read').choices(['prose', 'formal']),
      )
      .option('--callback-url <url>', 'where its callbacks go (default: its own inbox)')
      .addOption(new Option('--frozen-at <time>', 'let its clock stand at this time').argParser(dateTime))
      .addOption(
        new Option('--set <name=value>', 'a setting, as with `settings set`; may be given again').argParser(setting),
      ),
    [
      'tenants create --name qa --seed 7',
      'tenants create --frozen-at 2026-01-31T09:30:00Z --json',
      `tenants create --set gender=required --set 'lifecycle=[{"event":"registration","after":"PT1M"}]'`,
    ],
    create,
  )
  sandboxVerb<unknown, []>(
    command.command('list').description('List all tenants, without their keys (--json shows them).'),
    ['tenants list'],
    async session => session.print(await session.askOfAll<'listTenants'>('GET', ['tenants']), accountTable),
  )
  sandboxVerb<unknown, [string?]>(
    command
      .command('show')
      .description(
        'Show the account of a tenant: base URL, ids, keys, criteria, and settings that differ from the default.',
      )
      .argument('[name]', 'the tenant (default: that of --tenant)'),
    ['tenants show', 'tenants show qa --json'],
    async (session, _flags, name = session.tenant) =>
      printAccount(session, await session.askOfAll<'showTenant'>('GET', ['tenants', name])),
  )
  sandboxVerb<unknown, [string]>(
    command.command('delete').description('Remove a tenant with all that it has.').argument('<name>', 'the tenant'),
    ['tenants delete qa'],
    async (session, _flags, name) => {
      const reply = await session.askOfAll<'deleteTenant'>('DELETE', ['tenants', name])
      session.print(reply, ({ deleted }) => `The tenant ${deleted} is gone.`)
    },
  )
}

async function create(session: Session, flags: CreationFlags): Promise<void> {
  const { name, seed, profile, callbackUrl, frozenAt, set } = flags
  const body = { name, seed, profile, callback_url: callbackUrl, frozen_at: frozenAt, settings: set }
  await printAccount(session, await session.askOfAll<'createTenant'>('POST', ['tenants'], { body }))
}

async function printAccount(session: Session, account: Account): Promise<void> {
  // The engine has the default profile. Scripts, which ask for JSON, need not wait a quarter of a second to load it.
  if (session.json) return session.print(account, String)
  const { proseProfile } = await import('@lead-distribution/engine')
  session.print(account, () => accountText(account, { ...proseProfile, lifecycle: [] }))
}
