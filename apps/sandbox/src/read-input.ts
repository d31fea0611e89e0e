import { createReadStream } from 'node:fs'
import { decodeUtf8 } from '@lead-distribution/contract'

/**
 * Reads a text file given by the user, or stdin if its name is `-`. Stops reading once it exceeds `maxBytes`.
 * @throws Error it cannot be read, or is not UTF-8. The message names the first invalid byte.
 */
export async function readInput(file: string, maxBytes = Number.POSITIVE_INFINITY): Promise<string> {
  const pieces: Buffer[] = []
  let size = 0
  try {
    for await (const piece of file === '-' ? process.stdin : createReadStream(file)) {
      size += pieces[pieces.push(Buffer.from(piece)) - 1]?.length ?? 0
      if (size > maxBytes) return Buffer.concat(pieces).toString()
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`Could not read ${file} (${code}): pass an existing file, or - for stdin.`)
  }
  try {
    return decodeUtf8(Buffer.concat(pieces))
  } catch (error) {
    throw new Error(`${file === '-' ? 'stdin' : file} ${(error as RangeError).message}`)
  }
}
