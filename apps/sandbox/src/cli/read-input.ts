import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { CommandError } from './exit-codes.ts'

/** Reads a file, or stdin where its name is `-`. */
export async function readInput(file: string): Promise<string> {
  if (file === '-') return text(process.stdin)
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CommandError(`Could not read ${file} (${code}): name a file that is there, or - for stdin.`)
  }
}

/** Parses the text of a file as JSON. */
export function parseJson(content: string, file: string): unknown {
  try {
    return JSON.parse(content)
  } catch (error) {
    throw new CommandError(`${file} is not JSON: ${(error as SyntaxError).message}.`)
  }
}

/** Reads the JSON of a file, or of stdin where its name is `-`. */
export async function readJson(file: string): Promise<unknown> {
  return parseJson(await readInput(file), file)
}
