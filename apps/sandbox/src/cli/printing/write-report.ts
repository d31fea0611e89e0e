import { writeFile } from 'node:fs/promises'
import { CommandFault } from '../exit-codes.ts'

/** Writes a report into the file that a flag names; nothing where it names none. */
export async function writeReport(file: string | undefined, report: () => string | Promise<string>): Promise<void> {
  if (file === undefined) return
  const text = await report()
  await writeFile(file, text).catch(fault => {
    throw new CommandFault(`Could not write ${file} (${fault.code}): name a file in a folder that is there.`)
  })
}
