import { createInterface } from 'node:readline/promises'
import type { ControlReply } from '@lead-distribution/simulator'
import { CommandError } from '../exit-codes.ts'
import { argument, byDefault, flag, oneOf, onOff } from '../flags.ts'
import { list, shortTime, table, time, writePrivate } from '../printing.ts'
import { group, verb } from '../run-verb.ts'
import { dateTime, duration, profileFlag, setting } from '../values.ts'
import { accountTable, change, printAccount, settingsTable } from './account.ts'

/** `lead-sandbox settings`: the part of the account with the settings, and nothing else. */
export const settings = group({
  show: verb({
    does: 'Show all settings.',
    call: async ({ tenant }) => (await tenant.show()).settings,
    text: all => settingsTable(all),
  }),
  set: verb({
    does: 'Change the given settings; the others stay the same.',
    takes: { settings: argument('<name=value...>', 'the value as JSON, or as plain text', setting) },
    examples: [
      'gender=required duplicate_window=PT5M',
      `'callback_retries=["PT1S","PT1M"]'`,
      `'lifecycle=[{"event":"registration","after":"PT1M"}]'`,
    ],
    call: async ({ tenant }, { settings }) => (await tenant.update({ settings })).settings,
    // A profile changes other settings too.
    text: (all, { settings }) => settingsTable(all, 'profile' in settings ? undefined : Object.keys(settings)),
  }),
})

type NewToken = ControlReply<'createToken'>

const tokenRoles: readonly NewToken['role'][] = ['read', 'write']

export const tenants = group({
  create: verb({
    does: 'Create a tenant, and show its account with ids and keys.',
    takes: {
      name: flag('<name>', 'lower-case letters, digits and hyphens (default: random)'),
      seed: flag('<text>', 'the same name and seed give the same ids and keys'),
      profile: profileFlag,
      callbackUrl: flag('<url>', 'its callback URL (default: its own inbox)'),
      publisherKey: flag('<key>', "the publisher's API key, sandbox_pub_NAME_SECRET (default: random)"),
      callbackSecret: flag('<secret>', 'the secret that signs its callbacks, whsec_… (default: random)'),
      expiresIn: flag('<duration>', 'delete it after this long, such as 7d (default: never)', duration),
      token: oneOf(flag('[role]', 'also create a token for it (default role: write)'), tokenRoles),
      frozenAt: flag('<time>', 'freeze its clock at this time', dateTime),
      set: flag('<name=value>', 'a setting, as with `settings set`; repeatable', setting),
    },
    examples: [
      '--name qa --seed 7',
      '--name ci-123 --expires-in 2h --token',
      '--frozen-at 2026-01-31T09:30:00Z --json',
      `--set gender=required --set 'lifecycle=[{"event":"registration","after":"PT1M"}]'`,
    ],
    async call(session, { publisherKey: api_key, callbackSecret: callback_secret, set, token: role, ...options }) {
      const publisher = { api_key, callback_secret }
      const tenant = await session.sandbox.createTenant({ ...options, settings: set, publisher })
      // Commander passes true for a flag without its optional value.
      const token = role && (await tenant.tokens.create({ role: role === 'read' ? role : 'write' }))
      if (session.json) return session.print({ ...tenant.account, ...(token && { token }) }, String)
      await printAccount(session, tenant.account)
      if (token) console.log(`\n${tokenText(token)}`)
    },
  }),
  list: verb({
    does: 'List all tenants, without their keys (--json shows them).',
    call: ({ sandbox }) => sandbox.listTenants(),
    text: accountTable,
  }),
  show: verb({
    does: 'Show the account of a tenant: base URL, ids, keys, criteria, and settings that differ from the default.',
    takes: { name: argument('[name]', 'the tenant (default: the one from --tenant)') },
    examples: ['', 'qa --json'],
    call: async (session, { name = session.tenant.name }) =>
      printAccount(session, await session.sandbox.control(name).show()),
  }),
  change,
  expire: verb({
    does: 'Delete a tenant later, or never.',
    takes: {
      name: argument('<name>', 'the tenant'),
      in: argument('<in>', 'a duration from now, such as 7d, or never', text =>
        text === 'never' ? null : duration(text),
      ),
    },
    examples: ['qa 30d', 'qa never'],
    call: ({ sandbox }, { name, in: expires_in }) => sandbox.control(name).update({ expires_in }),
    text: ({ tenant, expires_at }) =>
      expires_at === undefined
        ? `The tenant ${tenant} does not expire.`
        : `The tenant ${tenant} will be deleted at ${shortTime(expires_at)} UTC.`,
  }),
  raw: verb({
    does: 'Export the raw stored data of a broken tenant, including its seed, keys and leads.',
    takes: {
      name: argument('<name>', 'the tenant'),
      file: argument('[file]', 'the file to write (default: stdout)'),
    },
    examples: ['qa qa.json'],
    async call({ sandbox }, { name, file }) {
      const text = `${JSON.stringify(await sandbox.control(name).raw(), null, 2)}\n`
      if (file === undefined) return void process.stdout.write(text)
      await writePrivate(file, text)
      console.log(`Exported the stored data of the tenant ${name} to ${file}.`)
    },
  }),
  delete: verb({
    does: 'Delete a tenant and everything in it. On a terminal, asks for its name first.',
    takes: {
      name: argument('<name>', 'the tenant'),
      yes: onOff('delete it without asking; required without a terminal'),
    },
    examples: ['qa', 'ci-123 --yes'],
    async call({ sandbox }, { name, yes }) {
      if (!yes) await confirmName(name)
      return sandbox.control(name).delete()
    },
    text: ({ deleted }) => `Deleted the tenant ${deleted}.`,
  }),
})

/** Asks the user to confirm a deletion by typing the tenant's name. */
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

export const reset = verb({
  examples: ['', '--tenant qa'],
  call: ({ tenant }) => tenant.reset(),
  text: ({ tenant, publisher }) => `Reset the tenant ${tenant}. Its callbacks still go to ${publisher.callback_url}`,
})

export const tokens = group({
  create: verb({
    does: 'Create a token that opens only this tenant. It is shown only once.',
    takes: {
      role: byDefault(oneOf(flag('<role>', 'read: no changes, no keys and secrets'), tokenRoles), 'write'),
      name: flag('<text>', 'a name for the token, such as that of a pipeline'),
    },
    examples: ['--tenant qa --name ci', '--tenant qa --role read'],
    call: ({ tenant }, { role, name }) => tenant.tokens.create({ role, name }),
    text: tokenText,
  }),
  list: verb({
    does: "List the tenant's tokens, without their values.",
    examples: ['--tenant qa'],
    call: ({ tenant }) => tenant.tokens.list(),
    text: ({ tokens }) =>
      table(tokens, { token: 'token_id', role: 'role', name: 'name', 'created (UTC)': time('created_at') }) ||
      'No tokens.',
  }),
  revoke: verb({
    does: 'Revoke a token. It stops working immediately.',
    takes: { tokenId: argument('<token-id>') },
    examples: ['376e1984b48b --tenant qa'],
    call: ({ tenant }, { tokenId }) => tenant.tokens.revoke(tokenId),
    text: ({ revoked }) => `The token ${revoked} is revoked.`,
  }),
})

/** Formats a token that was just created, with its text. */
function tokenText({ token_id, role, name, token }: NewToken): string {
  const about = list([
    ['token id', token_id],
    ['role', role],
    ['name', name],
    ['token', token],
  ])
  return `${about}\n\nThe token is not shown again. Pass it as LEAD_SANDBOX_ADMIN_TOKEN or as Authorization: Bearer TOKEN.`
}

const host = argument('<host>')

export const hosts = group({
  allow: verb({
    does: "Allow the tenant's callbacks to a host besides the sandbox's machine.",
    takes: { host },
    examples: ['qa.example --tenant qa'],
    call: ({ tenant }, { host }) => tenant.hosts.allow(host),
    text: hostTable,
  }),
  list: verb({
    does: "List the hosts that may receive the tenant's callbacks.",
    examples: ['--tenant qa'],
    call: ({ tenant }) => tenant.hosts.list(),
    text: hostTable,
  }),
  remove: verb({
    does: "Remove one of the tenant's allowed hosts. From now on, callbacks to it fail.",
    takes: { host },
    examples: ['qa.example --tenant qa'],
    call: ({ tenant }, { host }) => tenant.hosts.remove(host),
    text: hostTable,
  }),
})

function hostTable({ hosts }: ControlReply<'listHosts'>): string {
  const since = { at_start: 'for every tenant, by --allow-callback-host', for_this_tenant: 'for this tenant' }
  const allowed = table(hosts, { host: 'host', allowed: ({ allowed }) => since[allowed] })
  return allowed || "This tenant's callbacks may only go to the sandbox's machine."
}
