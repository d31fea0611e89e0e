import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root folder of the repository. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '../../../..')

/** A source file of the repository: its path from the root, and its text. */
export interface Source {
  readonly path: string
  readonly text: string
}

/** Every TypeScript source of the packages and apps, tests included, generated files too. */
export const sources: readonly Source[] = globSync('{packages,apps}/*/src/**/*.{ts,tsx}', { cwd: root })
  .map(path => path.replaceAll('\\', '/'))
  .sort()
  .map(path => ({ path, text: readFileSync(join(root, path), 'utf8') }))

/** Returns true for the path of a test, and for that of a file that tests share (`x.fixture.ts`). */
export const isTest = (path: string) => /\.(test|fixture)\.tsx?$/.test(path)

/** Returns true for the path of a generated file: nobody reads or writes it by hand. */
export const isGenerated = (path: string) => path.includes('.generated.')
