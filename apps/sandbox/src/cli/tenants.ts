import { createInterface } from 'node:readline/promises'
import type { Account } from '@lead-distribution/control-client'
import type { ControlReply } from '@lead-distribution/simulator'
import { type Command, Option } from 'commander'
import { accountTable, describeChange, printAccount, settingsTable } from './account.ts'
import { CommandError } from './exit-codes.ts'
import { list, shortTime, table, writePrivate } from './printing.ts'
import { type Session, sandboxVerb } from './sandbox-verb.ts'
import { dateTime, duration, profileFlag, type SomeSettings, setting } from './values.ts'

/** `lead-sandbox settings`. The part of the account that holds them, and nothing else. */
export function describeSettings(command: Command): void {
  sandboxVerb<unknown, []>(
    command.command('show').description('Show all settings.'),
    ['settings show'],
    async ({ tenant, print }) => print((await tenant.show()).settings, settingsTable),
  )
  sandboxVerb<unknown, [SomeSettings]>(
    command
      .command('set')
      .description('Change the given settings; the others stay.')
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

type NewToken = ControlReply<'createToken'>

type TokenRole = NewToken['role']

const tokenRoles: readonly TokenRole[] = ['read', 'write']

interface CreationFlags {
  readonly name?: string
  readonly seed?: string
  readonly profile?: Account['settings']['profile']
  readonly callbackUrl?: string
  readonly publisherKey?: string
  readonly callbackSecret?: string
  readonly frozenAt?: string
  readonly set?: SomeSettings
  readonly expiresIn?: string
  readonly token?: true | TokenRole
}

export function describeTenants(command: Command): void {
  sandboxVerb(
    command
      .command('create')
      .description('Create a tenant, and show its account with ids and keys.')
      .option('--name <name>', 'lower-case letters, digits and hyphens (default: random)')
      .option('--seed <text>', 'equal name and seed give equal ids and keys')
      .addOption(profileFlag())
      .option('--callback-url <url>', 'its callback URL (default: its own inbox)')
      .option('--publisher-key <key>', "the publisher's API key, sandbox_pub_NAME_SECRET (default: random)")
      .option('--callback-secret <secret>', 'the secret that signs its callbacks, whsec_… (default: random)')
      .option('--expires-in <duration>', 'delete it after this long, such as 7d (default: never)', duration)
      .addOption(new Option('--token [role]', 'also create a token for it (default role: write)').choices(tokenRoles))
      .option('--frozen-at <time>', 'freeze its clock at this time', dateTime)
      .option('--set <name=value>', 'a setting, as with `settings set`; repeatable', setting),
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
  describeChange(command.command('change'))
  describeExpire(command.command('expire'))
  describeRaw(command.command('raw'))
  describeDelete(command.command('delete'))
}

function describeDelete(command: Command): void {
  sandboxVerb<{ readonly yes?: boolean }, [string]>(
    command
      .description('Delete a tenant and everything in it. On a terminal, asks for its name first.')
      .argument('<name>', 'the tenant')
      .option('--yes', 'delete it without asking; required without a terminal'),
    ['tenants delete qa', 'tenants delete ci-123 --yes'],
    async ({ sandbox, print }, { yes = false }, name) => {
      if (!yes) await confirmName(name)
      print(await sandbox.control(name).delete(), ({ deleted }) => `Deleted the tenant ${deleted}.`)
    },
  )
}

/** Asks for the name of a tenant that is about to be deleted. */
async function confirmName(name: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new CommandError(`Deleting the tenant ${name} cannot be undone. To delete it without a terminal, pass --yes.`)
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const typed = await prompt.question(`Deleting the tenant ${name} cannot be undone. To delete it, type its name: `)
    if (typed.trim() !== name)
      throw new CommandError(`Nothing was deleted: ${typed.trim() || 'an empty line'} is not ${name}.`)
  } finally {
    prompt.close()
  }
}

function describeExpire(command: Command): void {
  sandboxVerb<unknown, [string, string | null]>(
    command
      .description('Delete a tenant later, or never.')
      .argument('<name>', 'the tenant')
      .argument('<in>', 'a duration from now, such as 7d, or never', text =>
        text === 'never' ? null : duration(text),
      ),
    ['tenants expire qa 30d', 'tenants expire qa never'],
    async ({ sandbox, print }, _flags, name, expires_in) =>
      print(await sandbox.control(name).update({ expires_in }), ({ tenant, expires_at }) =>
        expires_at === undefined ? `The tenant ${tenant} stays.` : `The tenant ${tenant} is deleted at ${expires_at}.`,
      ),
  )
}

function describeRaw(command: Command): void {
  sandboxVerb<unknown, [string, string?]>(
    command
      .description('Export the raw stored data of a broken tenant, including its seed, keys and leads.')
      .argument('<name>', 'the tenant')
      .argument('[file]', 'the file to write (default: stdout)'),
    ['tenants raw qa qa.json'],
    async ({ sandbox }, _flags, name, file) => {
      const text = `${JSON.stringify(await sandbox.control(name).raw(), null, 2)}\n`
      if (file === undefined) return void process.stdout.write(text)
      await writePrivate(file, text)
      console.log(`Exported the stored data of the tenant ${name} to ${file}.`)
    },
  )
}

async function create(session: Session, flags: CreationFlags): Promise<void> {
  const {
    name,
    seed,
    profile,
    callbackUrl,
    publisherKey,
    callbackSecret,
    frozenAt,
    set,
    expiresIn,
    token: role,
  } = flags
  const tenant = await session.sandbox.createTenant({
    name,
    seed,
    profile,
    callbackUrl,
    frozenAt,
    settings: set,
    expiresIn,
    publisher: { api_key: publisherKey, callback_secret: callbackSecret },
  })
  const token = role && (await tenant.tokens.create({ role: role === true ? 'write' : role }))
  if (session.json) return session.print({ ...tenant.account, ...(token && { token }) }, String)
  await printAccount(session, tenant.account)
  if (token) console.log(`\n${tokenText(token)}`)
}

export function describeReset(command: Command): void {
  sandboxVerb<unknown, []>(command, ['reset', 'reset --tenant qa'], async ({ tenant, print }) =>
    print(
      await tenant.reset(),
      ({ tenant, publisher }) => `Reset the tenant ${tenant}. Its callbacks still go to ${publisher.callback_url}`,
    ),
  )
}

export function describeTokens(command: Command): void {
  sandboxVerb<{ readonly role: TokenRole; readonly name?: string }, []>(
    command
      .command('create')
      .description('Create a token that opens only this tenant. It is shown only once.')
      .addOption(
        new Option('--role <role>', 'read: no changes, no keys and secrets').choices(tokenRoles).default('write'),
      )
      .option('--name <text>', 'a name for the token, such as that of a pipeline'),
    ['tokens create --tenant qa --name ci', 'tokens create --tenant qa --role read'],
    async ({ tenant, print }, flags) => print(await tenant.tokens.create(flags), tokenText),
  )
  sandboxVerb<unknown, []>(
    command.command('list').description('List the tokens of the tenant, without their values.'),
    ['tokens list --tenant qa'],
    async ({ tenant, print }) =>
      print(await tenant.tokens.list(), ({ tokens }) =>
        table(
          ['token', 'role', 'name', 'created (UTC)'],
          tokens.map(({ token_id, role, name, created_at }) => [token_id, role, name, shortTime(created_at)]),
          'No tokens.',
        ),
      ),
  )
  sandboxVerb<unknown, [string]>(
    command.command('revoke').description('Revoke a token. It stops working at once.').argument('<token-id>'),
    ['tokens revoke 376e1984b48b --tenant qa'],
    async ({ tenant, print }, _flags, id) =>
      print(await tenant.tokens.revoke(id), ({ revoked }) => `The token ${revoked} is revoked.`),
  )
}

/** A token that was just created, with its text. */
function tokenText({ token_id, role, name, token }: NewToken): string {
  const about = list([
    ['token id', token_id],
    ['role', role],
    ['name', name],
    ['token', token],
  ])
  return `${about}\n\nThe token is not shown again. Pass it as LEAD_SANDBOX_ADMIN_TOKEN or as Authorization: Bearer TOKEN.`
}

export function describeHosts(command: Command): void {
  const onHost = (name: string, summary: string) => command.command(name).description(summary).argument('<host>')
  sandboxVerb<unknown, [string]>(
    onHost('allow', "Allow the tenant's callbacks to another host than the sandbox's machine."),
    ['hosts allow qa.example --tenant qa'],
    async ({ tenant, print }, _flags, host) => print(await tenant.hosts.allow(host), hostTable),
  )
  sandboxVerb<unknown, []>(
    command.command('list').description("List the hosts that the tenant's callbacks may go to."),
    ['hosts list --tenant qa'],
    async ({ tenant, print }) => print(await tenant.hosts.list(), hostTable),
  )
  sandboxVerb<unknown, [string]>(
    onHost('remove', 'Remove an allowed host of the tenant. Callbacks to it fail from now on.'),
    ['hosts remove qa.example --tenant qa'],
    async ({ tenant, print }, _flags, host) => print(await tenant.hosts.remove(host), hostTable),
  )
}

function hostTable({ hosts }: ControlReply<'listHosts'>): string {
  const since = { at_start: 'for every tenant, by --allow-callback-host', for_this_tenant: 'for this tenant' }
  return table(
    ['host', 'allowed'],
    hosts.map(({ host, allowed }) => [host, since[allowed]]),
    "This tenant's callbacks may only go to the sandbox's machine.",
  )
}
