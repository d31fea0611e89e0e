import { readFile, writeFile } from 'node:fs/promises'
import { CommandFault } from './command-fault.ts'

/** What a JSON file holds. Rejects with a {@link CommandFault} where it is not there or no JSON object. */
export async function readJsonFile(file: string, flag: string): Promise<object> {
  const text = await readFile(file, 'utf8').catch(({ code }) => {
    throw new CommandFault(`Could not read ${file} (${code}): give ${flag} a file that is there.`)
  })
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {}
  throw new CommandFault(`${file} is no JSON object: give ${flag} one that is.`)
}

/** Writes a text. Rejects with a {@link CommandFault} where it cannot be written. */
export async function writeText(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch(({ code }) => {
    throw new CommandFault(`Could not write ${file} (${code}): name a file in a folder that is there.`)
  })
}
