// Projects as users have them: an empty folder, a manifest, and `npm install`.
import { cp, glob, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execute } from '../run-checks.mjs'

/** The programs of users, which are copied into their projects. */
export const programs = join(dirname(fileURLToPath(import.meta.url)), 'programs')

export const sdks = ['@lead-distribution/publisher-sdk', '@lead-distribution/advertiser-sdk']

/** Makes a project and installs what its manifest names. Gives its folder. */
export async function createProject(folder, manifest, strategy = 'hoisted') {
  await mkdir(folder, { recursive: true })
  await writeJson(join(folder, 'package.json'), { private: true, type: 'module', ...manifest })
  const quiet = ['--no-audit', '--no-fund', '--no-package-lock', '--prefer-offline', '--loglevel=error']
  await execute('npm', ['install', ...quiet, `--install-strategy=${strategy}`], { cwd: folder })
  return folder
}

/** Every public package side by side, with the types that users of the server packages have. */
export function createEverything(folder, tarballs) {
  const dependencies = Object.fromEntries(Object.entries(tarballs).map(([name, path]) => [name, `file:${path}`]))
  const types = { '@types/node': '^22', '@types/express': '^5' }
  // The test runners whose users the msw package has.
  return createProject(folder, { dependencies, devDependencies: { ...types, '@playwright/test': '^1', vitest: '^5' } })
}

/** Only the SDKs. */
export function createSdkProject(folder, tarballs) {
  return createUserProject(folder, tarballs, sdks, { '@types/node': '^22' })
}

/**
 * Only some of the packages. Linked, as pnpm lays packages out: what a package uses without declaring it is not found,
 * and a type that users could name only by a package they do not have is an error.
 */
export function createUserProject(folder, tarballs, names, devDependencies, strategy = 'linked') {
  const files = Object.entries(tarballs).map(([name, path]) => [name, `file:${path}`])
  const dependencies = Object.fromEntries(files.filter(([name]) => names.includes(name)))
  // Not published yet, so npm needs the places of the packages below.
  const overrides = Object.fromEntries(files.filter(([name]) => !names.includes(name)))
  return createProject(folder, { dependencies, overrides, devDependencies }, strategy)
}

/** Writes a program that imports every entry of the packages; gives the entries. */
export async function writeEntries(folder, names) {
  const entries = (await Promise.all(names.map(name => entriesOf(folder, name)))).flat()
  const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}'`)
  const uses = entries.map((_entry, index) => `entry${index}`)
  await writeFile(join(folder, 'entries.ts'), `${imports.join('\n')}\nexport const entries = [${uses.join(', ')}]\n`)
  return entries
}

/** The entries of a package: its name, and its name with each path of its exports. */
export async function entriesOf(folder, name) {
  const manifest = await readJson(join(folder, 'node_modules', name, 'package.json'))
  return Object.keys(manifest.exports ?? {})
    .filter(path => !path.endsWith('.json'))
    .map(path => name + path.slice(1))
}

export async function readJson(path) {
  return JSON.parse(await readFile(path, 'utf8'))
}

export function writeJson(path, value) {
  return writeFile(path, JSON.stringify(value, null, 2))
}

/** Makes something that several checks need when the first one asks for it. */
export function once(make) {
  let made
  return () => {
    made ??= make()
    return made
  }
}

/** Replaces vitest. */
const stub = 'vitest.d.ts'

/**
 * Copies the type tests of packages (`*.types.test.ts`) into a project, unchanged: they are compiled once more as users
 * would, against what is packed. Gives their files, and how many wrong uses they hold; throws where one cannot be copied.
 */
export async function copyTypeTests({ root, folder, names }) {
  await cp(join(programs, stub), join(folder, stub))
  const typeTests = [stub]
  let wrongUses = 0
  for (const name of names) {
    const source = join(root, 'packages', name.split('/')[1])
    const paths = await Array.fromAsync(glob('src/**/*.types.test.ts', { cwd: source }))
    if (paths.length === 0 && sdks.includes(name)) throw new Error(`${name} has no *.types.test.ts.`)
    for (const path of paths.sort()) {
      const text = await readFile(join(source, path), 'utf8')
      const relative = text.match(/\bfrom '(\.[^']+)'/)
      if (relative) throw new Error(`${name}: ${path} imports ${relative[1]}. A type test imports its package by name.`)
      const copy = join('type-tests', name, path)
      await cp(join(source, path), join(folder, copy))
      typeTests.push(copy)
      wrongUses += text.split('// @ts-expect-error').length - 1
    }
  }
  return { typeTests, wrongUses }
}
