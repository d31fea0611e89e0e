import type { Command } from 'commander'
import { sandboxVerb } from '../connection/sandbox-verb.ts'
import { setting } from '../values/setting.ts'
import { settingsTable } from './settings-table.ts'

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
      .argument('<name=value...>', 'the value as JSON, or as a plain text', setting),
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
