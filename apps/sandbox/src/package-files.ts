import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Returns the path of a file in this package: both its sources and its bundle are one folder below the root. */
export function packageFile(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url))
}

/** The version of this package. */
export const { version }: { version: string } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'))
