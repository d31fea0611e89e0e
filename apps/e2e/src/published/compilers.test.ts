import { cpSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { root } from '../architecture/sources.ts'
import {
  createProject,
  createSdkProject,
  execute,
  readJson,
  sdks,
  tarballs,
  writeEntries,
  writeJson,
} from './project.fixture.ts'

// The strictest options, which also check the packages' declarations.
const strict = {
  target: 'ES2022',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  allowImportingTsExtensions: true,
  skipLibCheck: false,
  // The compiler's own declarations are not ours, and checking them takes 1.5 seconds per compilation.
  skipDefaultLibCheck: true,
  // Users must be able to name the types that they re-export with the packages that they installed.
  declaration: true,
  noEmit: true,
  paths: { vitest: ['./vitest.d.ts'] },
}
const nodenext = { module: 'NodeNext', moduleResolution: 'NodeNext' }
const bundler = { module: 'ESNext', moduleResolution: 'Bundler' }

const programs = ['entries.ts', 'smoke.ts', 'page.ts', 'exported.ts', 'faults.ts']
const typeTests = { sdks: [] as string[], everything: [] as string[] }
const folders = { sdks: '', everything: '' }

/** Copies the packages' type tests unchanged: the packed types must reject the same misuse. */
function copyTypeTests(folder: string, packages: readonly string[]): string[] {
  const copies = packages.flatMap(name => {
    const sources = join(root, 'packages', basename(name), 'src')
    return globSync('**/*.types.test.ts', { cwd: sources }).map(path => {
      const copy = join('type-tests', basename(name), path)
      mkdirSync(dirname(join(folder, copy)), { recursive: true })
      cpSync(join(sources, path), join(folder, copy))
      expect(readFileSync(join(folder, copy), 'utf8'), `${path} imports its package by name`).not.toMatch(/from '\./)
      return copy
    })
  })
  cpSync(join(root, 'apps/e2e/src/published/programs/vitest.d.ts'), join(folder, 'vitest.d.ts'))
  return ['vitest.d.ts', ...copies]
}

beforeAll(async () => {
  const names = Object.keys(tarballs)
  const types = { '@types/node': '^22', '@types/express': '^5', '@playwright/test': '^1', vitest: '^5' }
  folders.sdks = await createSdkProject('compiled-sdks')
  folders.everything = await createProject('compiled-everything', names, types, 'hoisted')
  writeEntries(folders.everything, names)
  typeTests.sdks = copyTypeTests(folders.sdks, sdks)
  typeTests.everything = copyTypeTests(
    folders.everything,
    names.filter(name => !sdks.includes(name)),
  )
  expect(typeTests.sdks.length).toBeGreaterThan(2)
}, 300_000)

/**
 * The oldest and the newest version that the SDKs support. Code that compiles with both compiles with those in between.
 */
describe.each([
  ['5.9', 'typescript-5.9'],
  ['7.0', 'typescript-7'],
])('TypeScript %s', (version, compiler) => {
  const tsc = join(root, 'node_modules', compiler)
  it('is installed', () => expect(readJson(tsc, 'package.json').version).toMatch(version))

  const cases = [
    // Files run directly on a server and are bundled for a page: the globals differ.
    ['the SDKs on a server', 'sdks', { ...nodenext, lib: ['ES2022'], types: ['node'] }, programs],
    ['the SDKs in a page', 'sdks', { ...bundler, lib: ['ES2022', 'DOM'], types: [] }, programs],
    // A CommonJS file requires ESM-only packages, which Node supports since 22.12.
    ['the SDKs from CommonJS', 'sdks', { ...nodenext, types: ['node'], verbatimModuleSyntax: false }, ['commonjs.cts']],
    ['every entry on a server', 'everything', { ...nodenext, lib: ['ES2024', 'DOM'], types: ['node'] }, ['entries.ts']],
    ['every entry in a bundle', 'everything', { ...bundler, lib: ['ES2024', 'DOM'], types: ['node'] }, ['entries.ts']],
  ] as const

  // Only one compiler compiles every entry in a bundle: that takes as long as all other cases together.
  const chosen = cases.filter(([title]) => version !== '5.9' || title !== 'every entry in a bundle')
  it.each(chosen)('compiles %s', { timeout: 300_000 }, async (title, project, options, files) => {
    const config = join(folders[project], `tsconfig.${version}.${title.replaceAll(' ', '-')}.json`)
    const tests = files.length === 1 && files[0] === 'commonjs.cts' ? [] : typeTests[project]
    writeJson(config, { compilerOptions: { ...strict, ...options }, files: [...files, ...tests] })
    await execute(process.execPath, [join(tsc, 'bin/tsc'), '-p', config], { cwd: folders[project] })
  })
})
