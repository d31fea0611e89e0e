import type { Command } from 'commander'
import { shortTime, writeReport } from '../printing/printing.ts'
import { table } from '../printing/table.ts'
import { readJson } from '../read-input.ts'
import { sandboxVerb } from '../sandbox-verb.ts'

/** `lead-sandbox snapshot`. */
export function describeSnapshot(command: Command): void {
  command.helpCommand(false)
  const named: Named = (name, summary) =>
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
      print(await tenant.snapshots.delete(name), ({ deleted }) => `The snapshot ${deleted} is gone.`),
  )
}

/** Adds a verb on a named snapshot. */
type Named = (name: string, summary: string) => Command

function describeFiles(named: Named): void {
  sandboxVerb<unknown, [string, string?]>(
    named(
      'export',
      'Export a snapshot as a file to commit; it holds the seed of the tenant, which gives its keys away, and its leads.',
    ).argument('[file]', 'where to write it (default: print it)'),
    ['snapshot export before before.json'],
    async ({ tenant }, _flags, name, file) => {
      const text = `${JSON.stringify(await tenant.snapshots.export(name), null, 2)}\n`
      if (file === undefined) return void process.stdout.write(text)
      await writeReport(file, () => text)
      console.log(`The snapshot ${name} is in ${file}.`)
    },
  )
  sandboxVerb<{ restore?: boolean }, [string, string]>(
    named('import', 'Import a file as a snapshot, into a tenant of the same name and seed.')
      .argument('<file>', 'what snapshot export wrote, or - for stdin')
      .option('--restore', 'restore the tenant from it, too'),
    ['snapshot import before before.json --restore'],
    async ({ tenant, print }, { restore }, name, file) => {
      const saved = await tenant.snapshots.import(name, await readJson(file))
      if (restore) await tenant.snapshots.restore(name)
      print(saved, () =>
        restore ? `The tenant ${tenant.name} is as it was kept in ${file}.` : `The snapshot ${name} is there.`,
      )
    },
  )
}
