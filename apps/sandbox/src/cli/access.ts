import type { ControlReply } from '@lead-distribution/simulator'
import { type Command, Option } from 'commander'
import { list, shortTime, table } from './printing.ts'
import { sandboxVerb } from './sandbox-verb.ts'
import { duration } from './values.ts'

type NewToken = ControlReply<'createToken'>

export type TokenRole = NewToken['role']

export const tokenRoles: readonly TokenRole[] = ['read', 'write']

interface TokenFlags {
  readonly role: TokenRole
  readonly name?: string
}

export function describeTokens(command: Command): void {
  sandboxVerb<TokenFlags, []>(
    command
      .command('create')
      .description('Create a token that opens only this tenant. It is shown only once.')
      .addOption(
        new Option('--role <role>', 'read: no changes, no keys and secrets').choices(tokenRoles).default('write'),
      )
      .option('--name <text>', 'a name for the token, such as that of a pipeline'),
    ['tokens create --tenant qa --name ci', 'tokens create --tenant qa --role read'],
    async ({ tenant, print }, { role, name }) => print(await tenant.tokens.create({ role, name }), tokenText),
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

export function describeExpire(command: Command): void {
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

/** A token that was just created, with its text. */
export function tokenText({ token_id, role, name, token }: NewToken): string {
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
