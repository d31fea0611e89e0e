import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../architecture/root.ts'

/** A fault for a copy of an example: a text of one of its files, and what replaces it. */
export interface ExampleFault {
  /** The check that it must fail, and no other. */
  readonly check: string
  /** Below the `src` of the example. */
  readonly file: string
  /** Occurs just once. */
  readonly text: string
  readonly instead: string
}

/**
 * Copies an example with faults in it, to where it finds its packages and git ignores it; returns where its `src` is.
 * The copy is removed when it is disposed of. Throws where a text does not occur just once.
 */
export function injectFaults(name: 'publisher' | 'advertiser', faults: readonly ExampleFault[]) {
  const dist = join(root, `apps/example-${name}/dist`)
  mkdirSync(dist, { recursive: true })
  const folder = mkdtempSync(join(dist, 'faulty-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    cpSync(join(root, `apps/example-${name}/src`), folder, { recursive: true })
    for (const { check, file, text, instead } of faults) {
      const path = join(folder, file)
      const parts = readFileSync(path, 'utf8').split(text)
      if (parts.length !== 2) throw new Error(`${file} does not hold once what the fault of ${check} replaces.`)
      writeFileSync(path, parts.join(instead))
    }
  } catch (error) {
    remove()
    throw error
  }
  return { source: folder, [Symbol.dispose]: remove }
}
