// The packages' type tests (`*.types.test.ts`), compiled once more as users would: against what is packed. Each is
// taken unchanged, so it imports packages by name, and only such as a user of its package has.
import { cp, glob, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sdks } from './project.mjs'

/** Replaces vitest. */
const stub = 'vitest.d.ts'
const stubPath = join(dirname(fileURLToPath(import.meta.url)), 'programs', stub)

/** Copies those of some packages into a project. Gives their files there, how many wrong uses they hold, and what kept some out. */
export async function copyTypeTests({ root, folder, names }) {
  await cp(stubPath, join(folder, stub))
  const typeTests = [stub]
  const problems = []
  let wrongUses = 0
  for (const name of names) {
    const source = join(root, 'packages', name.split('/')[1])
    const paths = await Array.fromAsync(glob('src/**/*.types.test.ts', { cwd: source }))
    if (paths.length === 0 && sdks.includes(name)) problems.push(`${name} has no *.types.test.ts.`)
    for (const path of paths.sort()) {
      const text = await readFile(join(source, path), 'utf8')
      const relative = text.match(/\bfrom '(\.[^']+)'/)
      if (relative) {
        problems.push(`${name}: ${path} imports ${relative[1]}. A type test imports its package by name.`)
        continue
      }
      const copy = join('type-tests', name, path)
      await cp(join(source, path), join(folder, copy))
      typeTests.push(copy)
      wrongUses += text.split('// @ts-expect-error').length - 1
    }
  }
  return { typeTests, wrongUses, problems }
}
