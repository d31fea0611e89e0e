import type { Command } from 'commander'
import { sandboxVerb } from '../connection/sandbox-verb.ts'
import { table } from '../printing/table.ts'
import { shortTime } from '../printing/time.ts'

/** `lead-sandbox snapshot`. */
export function describeSnapshot(command: Command): void {
  command.helpCommand(false)
  const named = (name: string, summary: string) =>
    command.command(name).description(summary).argument('<name>', 'letters, digits, dots, underscores, hyphens')
  sandboxVerb<unknown, [string]>(
    named('save', 'Keep the whole tenant under a name, clock and chance included.'),
    ['snapshot save before'],
    async (session, _flags, name) => {
      const reply = await session.ask<'saveSnapshot'>('POST', ['snapshots'], { body: { name } })
      session.print(reply, () => `The tenant ${session.tenant} is kept as ${name}.`)
    },
  )
  sandboxVerb<unknown, [string]>(
    named('restore', 'Put the whole tenant back as it was.'),
    ['snapshot restore before'],
    async (session, _flags, name) => {
      const reply = await session.ask<'restoreSnapshot'>('POST', ['snapshots', name, 'restore'])
      session.print(reply, ({ tenant }) => `The tenant ${tenant} is as it was kept in ${name}.`)
    },
  )
  sandboxVerb<unknown, []>(
    command.command('list').description('List the snapshots, oldest first.'),
    ['snapshot list'],
    async session =>
      session.print(await session.ask<'listSnapshots'>('GET', ['snapshots']), ({ snapshots }) =>
        snapshots.length === 0
          ? 'No snapshots.'
          : table(
              ['snapshot', 'saved (UTC)'],
              snapshots.map(({ name, saved_at }) => [name, shortTime(saved_at)]),
            ),
      ),
  )
  sandboxVerb<unknown, [string]>(
    named('delete', 'Forget a snapshot.'),
    ['snapshot delete before'],
    async (session, _flags, name) => {
      const reply = await session.ask<'deleteSnapshot'>('DELETE', ['snapshots', name])
      session.print(reply, ({ deleted }) => `The snapshot ${deleted} is gone.`)
    },
  )
}
