import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Configuration } from '../configuration/configuration.ts'
import { packageFile } from '../package-files.ts'
import { CommandError } from './exit-codes.ts'
import { argument, byDefault } from './flags.ts'
import { localVerb } from './run-verb.ts'

export const init = localVerb({
  takes: { file: byDefault(argument('[file]', 'the file to write'), 'lead-sandbox.json') },
  examples: ['', 'test/sandbox.json'],
  async call({ file }) {
    const configuration: Configuration = {
      $schema: schemaFrom(dirname(file)),
      tenants: [{ name: 'demo', profile: 'prose', callback_url: null, settings: {} }],
    }
    await writeNew(file, `${JSON.stringify(configuration, null, 2)}\n`)
    console.log(`Wrote ${file}. To start a sandbox with it: lead-sandbox start --config ${file}`)
  },
})

const schemaFile = 'lead-sandbox.schema.json'

/**
 * Returns the schema's path relative to a folder, in the installed package, so that it is the same on every machine.
 */
function schemaFrom(folder: string): string {
  const installed = join('node_modules/@lead-distribution/sandbox', schemaFile)
  const path = relative(folder, existsSync(installed) ? installed : packageFile(schemaFile)).replaceAll('\\', '/')
  return path.startsWith('.') ? path : `./${path}`
}

async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CommandError(
      code === 'EEXIST'
        ? `${file} already exists and is unchanged. Pass another file, or delete it first.`
        : `Could not write ${file} (${code}). Pass a file in an existing, writable folder.`,
    )
  }
}
