import { readInput } from '../../read-input.ts'
import { argument, onOff } from '../flags.ts'
import { table, time, writePrivate } from '../printing.ts'
import { group, verb } from '../run-verb.ts'

const name = argument('<name>', 'letters, digits, dots, underscores, hyphens')

export const snapshot = group({
  save: verb({
    does: 'Save the whole tenant under a name, including its clock and random state.',
    takes: { name },
    examples: ['before'],
    call: ({ tenant }, { name }) => tenant.snapshots.save(name),
    text: (_saved, { name }, { tenant }) => `Saved the tenant ${tenant.name} as ${name}.`,
  }),
  restore: verb({
    does: 'Restore the whole tenant from a snapshot. Saves the previous state as before-restore.',
    takes: { name },
    examples: ['before'],
    call: ({ tenant }, { name }) => tenant.snapshots.restore(name),
    text: ({ tenant }, { name }) => `Restored the tenant ${tenant} from ${name}.`,
  }),
  export: verb({
    does: "Export a snapshot to a file. It contains the tenant's leads, and its seed, which reveals its keys.",
    takes: { name, file: argument('[file]', 'the file to write (default: stdout)') },
    examples: ['before before.ndjson'],
    async call({ tenant }, { name, file }) {
      const text = await tenant.snapshots.export(name)
      if (file === undefined) return void process.stdout.write(text)
      await writePrivate(file, text)
      console.log(`Exported the snapshot ${name} to ${file}.`)
    },
  }),
  import: verb({
    does: 'Import a file as a snapshot of a tenant with the same name and seed.',
    takes: {
      name,
      file: argument('<file>', 'the output of snapshot export; - for stdin'),
      restore: onOff('also restore the tenant from it'),
    },
    examples: ['before before.ndjson --restore'],
    async call({ tenant }, { name, file, restore }) {
      const saved = await tenant.snapshots.import(name, await readInput(file))
      if (restore) await tenant.snapshots.restore(name)
      return saved
    },
    text: (_saved, { name, file, restore }, { tenant }) =>
      restore ? `Restored the tenant ${tenant.name} from ${file}.` : `Imported the snapshot ${name}.`,
  }),
  list: verb({
    does: 'List the snapshots, oldest first.',
    call: ({ tenant }) => tenant.snapshots.list(),
    text: ({ snapshots }) => table(snapshots, { snapshot: 'name', 'saved (UTC)': time('saved_at') }) || 'No snapshots.',
  }),
  delete: verb({
    does: 'Delete a snapshot.',
    takes: { name },
    examples: ['before'],
    call: ({ tenant }, { name }) => tenant.snapshots.delete(name),
    text: ({ deleted }) => `Deleted the snapshot ${deleted}.`,
  }),
})
