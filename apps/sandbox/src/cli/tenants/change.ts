import type { Account } from '@lead-distribution/control-client'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { CommandError, exitCodes } from '../exit-codes.ts'
import { readJson } from '../read-input.ts'
import { type Session, sandboxVerb } from '../sandbox-verb.ts'
import { jsonOrText } from '../values.ts'
import { printAccount } from './account-text.ts'

interface ChangeFlags {
  readonly file?: string
  readonly callbackUrl?: string
  readonly set: readonly AccountEdit[]
}

/** `lead-sandbox tenants change`. */
export function describeChange(command: Command): void {
  command
    .description(
      'Change whatever an account shows, except its ids and keys: criteria, blacklist, callback URL, settings.',
    )
    .argument('[name]', 'the tenant (default: that of --tenant)')
    .option('--file <file>', 'an account as `tenants show --json` prints it, edited, or a part of one; - for stdin')
    .option('--callback-url <url>', 'where its callbacks go; `inbox` for its own inbox')
    .addOption(
      new Option('--set <path=value>', 'a setting, or a field by its path, as JSON or plain text; may be given again')
        .default([], 'nothing')
        .argParser((text: string, before: AccountEdit[]) => [...before, accountEdit(text)]),
    )
  sandboxVerb<ChangeFlags, [string?]>(
    command,
    [
      'tenants change --callback-url http://127.0.0.1:3000/callbacks',
      'tenants change --set gender=required --set products.0.criteria.min_age=21',
      `tenants change --set 'blacklist=[{"email":"refused@example.com"}]'`,
      'tenants show qa --json > qa.json && tenants change qa --file qa.json',
    ],
    change,
  )
}

async function change(session: Session, flags: ChangeFlags, name = session.tenant.name): Promise<void> {
  const { file, callbackUrl, set } = flags
  if (file === undefined && callbackUrl === undefined && set.length === 0)
    throw new CommandError('Give what to change: --set, --callback-url or --file.', exitCodes.usage)
  const tenant = session.sandbox.control(name)
  const edited = {
    // A file that is no object is refused by the control plane.
    ...(file === undefined ? {} : ((await readJson(file)) as object)),
    ...(set.length === 0 ? {} : editedParts(await tenant.show(), set)),
    ...(callbackUrl === undefined ? {} : { callback_url: callbackUrl === 'inbox' ? null : callbackUrl }),
  }
  await printAccount(session, await tenant.update(edited))
}

/** One field of an account, and its new value. */
export interface AccountEdit {
  readonly path: readonly string[]
  readonly value: unknown
}

/** Reads `path=value`: a field by its names, with the places or the ids of products and advertisers, or a setting. */
function accountEdit(text: string): AccountEdit {
  const [, path, value = ''] = /^([\w.-]+)=(.*)$/s.exec(text) ?? []
  if (path === undefined)
    throw new InvalidArgumentError(
      'Give a path and a value, such as gender=required or products.0.criteria.min_age=21.',
    )
  return { path: path.split('.'), value: jsonOrText(value) }
}

type Fields = Record<string, unknown>

/**
 * The parts of an account that edits change, as the control plane takes them. A name that is no field of an account is a
 * setting. Only edited settings are sent: those that are left alone go on following the profile.
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
  if (typeof parent !== 'object' || parent === null)
    throw new CommandError(
      `--set ${path.join('.')} leads nowhere in this account: see its fields by lead-sandbox tenants show --json.`,
      exitCodes.usage,
    )
  Object.assign(parent, { [path.at(-1) ?? '']: value })
}

/** A field; of a list the entry at a place, or the one that has this id. */
function below(parent: unknown, name: string): unknown {
  if (typeof parent !== 'object' || parent === null) return undefined
  if (!Array.isArray(parent)) return Object.hasOwn(parent, name) ? Reflect.get(parent, name) : undefined
  return parent[Number(name)] ?? parent.find(entry => Object.values(entry).includes(name))
}
