import type { Account } from '@lead-distribution/control-client'
import type { Command } from 'commander'
import { sandboxVerb } from '../connection/sandbox-verb.ts'
import { cuttable } from '../printing/columns.ts'
import { table } from '../printing/table.ts'
import { type SomeSettings, setting } from '../values.ts'

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
