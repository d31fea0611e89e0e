import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../architecture/root.ts'

/** A fault that is put into a copy of an example: a text of one of its files, and what stands there instead. */
export interface PlantedFault {
  /** The check that it must fail, and no other. */
  readonly check: string
  /** Below the `src` of the example. */
  readonly file: string
  /** Stands there just once. */
  readonly text: string
  readonly instead: string
}

/**
 * Copies an example with faults in it to where it finds its packages and where git does not look; answers where its
 * `src` is. The copy is gone when it is disposed of. Throws where a text is not there just once.
 */
export function plantFaults(name: 'publisher' | 'advertiser', faults: readonly PlantedFault[]) {
  const dist = join(root, `apps/example-${name}/dist`)
  mkdirSync(dist, { recursive: true })
  const folder = mkdtempSync(join(dist, 'planted-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    cpSync(join(root, `apps/example-${name}/src`), folder, { recursive: true })
    for (const { check, file, text, instead } of faults) {
      const path = join(folder, file)
      const parts = readFileSync(path, 'utf8').split(text)
      if (parts.length !== 2) throw new Error(`${file} does not hold once what the fault of ${check} replaces.`)
      writeFileSync(path, parts.join(instead))
    }
  } catch (fault) {
    remove()
    throw fault
  }
  return { source: folder, [Symbol.dispose]: remove }
}
