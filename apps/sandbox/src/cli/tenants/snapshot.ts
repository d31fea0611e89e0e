import type { Command } from 'commander'
import { shortTime } from '../printing/printing.ts'
import { table } from '../printing/table.ts'
import { sandboxVerb } from '../sandbox-verb.ts'

/** `lead-sandbox snapshot`. */
export function describeSnapshot(command: Command): void {
  command.helpCommand(false)
  const named = (name: string, summary: string) =>
    command.command(name).description(summary).argument('<name>', 'letters, digits, dots, underscores, hyphens')
  sandboxVerb<unknown, [string]>(
    named('save', 'Save the whole tenant under a name, clock and random values included.'),
    ['snapshot save before'],
    async ({ tenant, print }, _flags, name) =>
      print(await tenant.snapshots.save(name), () => `The tenant ${tenant.name} is kept as ${name}.`),
  )
  sandboxVerb<unknown, [string]>(
    named('restore', 'Restore the whole tenant from a snapshot.'),
    ['snapshot restore before'],
    async ({ tenant, print }, _flags, name) =>
      print(
        await tenant.snapshots.restore(name),
        account => `The tenant ${account.tenant} is as it was kept in ${name}.`,
      ),
  )
  sandboxVerb<unknown, []>(
    command.command('list').description('List the snapshots, oldest first.'),
    ['snapshot list'],
    async ({ tenant, print }) =>
      print(await tenant.snapshots.list(), ({ snapshots }) =>
        snapshots.length === 0
          ? 'No snapshots.'
          : table(
              ['snapshot', 'saved (UTC)'],
              snapshots.map(({ name, saved_at }) => [name, shortTime(saved_at)]),
            ),
      ),
  )
  sandboxVerb<unknown, [string]>(
    named('delete', 'Delete a snapshot.'),
    ['snapshot delete before'],
    async ({ tenant, print }, _flags, name) =>
      print(await tenant.snapshots.delete(name), ({ deleted }) => `The snapshot ${deleted} is gone.`),
  )
}
