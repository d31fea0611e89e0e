import { type Command, InvalidArgumentError } from 'commander'
import { sandboxVerb } from '../connection/sandbox-verb.ts'
import type { Reply } from '../connection/session.ts'
import { table } from '../printing/table.ts'

type Settings = Reply<'showTenant'>['settings']

/** `lead-sandbox settings`. The control plane has them in the account; here they are shown by themselves. */
export function describeSettings(command: Command): void {
  command.helpCommand(false)
  sandboxVerb<unknown, []>(
    command.command('show').description('Show all settings.'),
    ['settings show'],
    async session => {
      const { settings } = await session.ask<'showTenant'>('GET', [])
      session.print(settings, settingsTable)
    },
  )
  sandboxVerb<unknown, [Readonly<Record<string, unknown>>]>(
    command
      .command('set')
      .description('Change settings, all at once; the others stay.')
      .argument('<name=value...>', 'the value as JSON, or as a plain text', parseSetting),
    [
      'settings set gender=required duplicate_window=PT5M',
      `settings set 'callback_retries=["PT1S","PT1M"]'`,
      `settings set 'lifecycle=[{"event":"registration","after":"PT1M"}]'`,
    ],
    async (session, _flags, settings) => {
      const account = await session.ask<'changeTenant'>('PATCH', [], { body: { settings } })
      // A profile changes others along with it.
      const changed = 'profile' in settings ? undefined : Object.keys(settings)
      session.print(account.settings, all => settingsTable(all, changed))
    },
  )
}

/** Adds one `name=value` to those before it. */
function parseSetting(text: string, before: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const [, name, value = ''] = /^([a-z_]+)=(.*)$/s.exec(text) ?? []
  if (name === undefined) throw new InvalidArgumentError('Give a name and a value, such as gender=required.')
  return { ...before, [name]: jsonOrText(value) }
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function settingsTable(settings: Settings, names: readonly string[] = Object.keys(settings)): string {
  const rows = Object.entries(settings)
    .filter(([name]) => names.includes(name))
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])
  return table(['setting', 'value'], rows)
}
