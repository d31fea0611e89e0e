import type { Command } from 'commander'
import { readInput } from '../read-input.ts'
import { shortTime, table, writePrivate } from './printing.ts'
import { sandboxVerb } from './sandbox-verb.ts'

export function describeSnapshot(command: Command): void {
  const named: Named = (name, summary) =>
    command.command(name).description(summary).argument('<name>', 'letters, digits, dots, underscores, hyphens')
  sandboxVerb<unknown, [string]>(
    named('save', 'Save the whole tenant under a name, clock and random values included.'),
    ['snapshot save before'],
    async ({ tenant, print }, _flags, name) =>
      print(await tenant.snapshots.save(name), () => `Saved the tenant ${tenant.name} as ${name}.`),
  )
  sandboxVerb<unknown, [string]>(
    named('restore', 'Restore the whole tenant from a snapshot. Saves the state before as before-restore.'),
    ['snapshot restore before'],
    async ({ tenant, print }, _flags, name) =>
      print(await tenant.snapshots.restore(name), account => `Restored the tenant ${account.tenant} from ${name}.`),
  )
  describeFiles(named)
  sandboxVerb<unknown, []>(
    command.command('list').description('List the snapshots, oldest first.'),
    ['snapshot list'],
    async ({ tenant, print }) =>
      print(await tenant.snapshots.list(), ({ snapshots }) =>
        table(
          ['snapshot', 'saved (UTC)'],
          snapshots.map(({ name, saved_at }) => [name, shortTime(saved_at)]),
          'No snapshots.',
        ),
      ),
  )
  sandboxVerb<unknown, [string]>(
    named('delete', 'Delete a snapshot.'),
    ['snapshot delete before'],
    async ({ tenant, print }, _flags, name) =>
      print(await tenant.snapshots.delete(name), ({ deleted }) => `Deleted the snapshot ${deleted}.`),
  )
}

type Named = (name: string, summary: string) => Command

function describeFiles(named: Named): void {
  sandboxVerb<unknown, [string, string?]>(
    named(
      'export',
      'Export a snapshot to a file. It contains the seed of the tenant, which reveals its keys, and its leads.',
    ).argument('[file]', 'the file to write (default: stdout)'),
    ['snapshot export before before.ndjson'],
    async ({ tenant }, _flags, name, file) => {
      const text = await tenant.snapshots.export(name)
      if (file === undefined) return void process.stdout.write(text)
      await writePrivate(file, text)
      console.log(`Exported the snapshot ${name} to ${file}.`)
    },
  )
  sandboxVerb<{ restore?: boolean }, [string, string]>(
    named('import', 'Import a file as a snapshot, into a tenant of the same name and seed.')
      .argument('<file>', 'the output of snapshot export; - for stdin')
      .option('--restore', 'also restore the tenant from it'),
    ['snapshot import before before.ndjson --restore'],
    async ({ tenant, print }, { restore }, name, file) => {
      const saved = await tenant.snapshots.import(name, await readInput(file))
      if (restore) await tenant.snapshots.restore(name)
      print(saved, () =>
        restore ? `Restored the tenant ${tenant.name} from ${file}.` : `Imported the snapshot ${name}.`,
      )
    },
  )
}
