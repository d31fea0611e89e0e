import { type Command, Option } from 'commander'
import { sandboxVerb } from '../connection/sandbox-verb.ts'
import type { Session } from '../connection/session.ts'
import { dateTime } from '../values/times.ts'
import { accountTable, accountText } from './account-text.ts'

interface CreationFlags {
  readonly name?: string
  readonly seed?: string
  readonly profile?: string
  readonly callbackUrl?: string
  readonly frozenAt?: string
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
      .addOption(new Option('--frozen-at <time>', 'let its clock stand at this time').argParser(dateTime)),
    ['tenants create --name qa --seed 7', 'tenants create --frozen-at 2026-01-31T09:30:00Z --json'],
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
      .description('Show the account of a tenant: base URL, ids and keys.')
      .argument('[name]', 'the tenant (default: that of --tenant)'),
    ['tenants show', 'tenants show qa --json'],
    async (session, _flags, name = session.tenant) =>
      session.print(await session.askOfAll<'showTenant'>('GET', ['tenants', name]), accountText),
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
  const { name, seed, profile, callbackUrl, frozenAt } = flags
  const body = { name, seed, profile, callback_url: callbackUrl, frozen_at: frozenAt }
  session.print(await session.askOfAll<'createTenant'>('POST', ['tenants'], { body }), accountText)
}
