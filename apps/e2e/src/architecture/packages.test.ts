import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './sources.ts'

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly version: string
  readonly repository?: { readonly url: string; readonly directory: string }
  readonly [field: string]: unknown
}

const manifests = globSync('{packages,apps}/*/package.json', { cwd: root }).map(path => ({
  folder: dirname(path).replaceAll('\\', '/'),
  manifest: JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest,
}))
const published = manifests.filter(({ manifest }) => !manifest.private)
const repository = 'https://github.com/lead-distribution/toolkit'

it('publishes six packages', () => {
  expect(published.map(({ folder }) => folder).sort()).toEqual([
    'apps/sandbox',
    'packages/advertiser-sdk',
    'packages/conformance',
    'packages/control-client',
    'packages/msw',
    'packages/publisher-sdk',
  ])
})

it.each(published)('$folder needs nothing of ours at run time that is not published', ({ manifest }) => {
  const ours = Object.keys((manifest.dependencies ?? {}) as object).filter(name =>
    name.startsWith('@lead-distribution/'),
  )
  expect(ours.filter(name => !published.some(other => other.manifest.name === name))).toEqual([])
})

it.each(published)('$folder says what npm shows of it, and where its source and its issues are', given => {
  const { folder, manifest } = given
  const { name, version, description, keywords, homepage, bugs, license, type, sideEffects, engines, files } = manifest
  const shown = { name, version, homepage, bugs, license, type, sideEffects, repository: manifest.repository }
  expect(shown).toEqual({
    name: `@lead-distribution/${folder.split('/')[1]}`,
    // One fixed group: they are all released together.
    version: published[0]?.manifest.version,
    homepage: `${repository}/tree/main/${folder}#readme`,
    bugs: `${repository}/issues`,
    license: 'MIT',
    type: 'module',
    // Importing either adds matchers.
    sideEffects: folder === 'packages/msw' ? ['./dist/jest.js', './dist/vitest.js'] : false,
    repository: { type: 'git', url: `git+${repository}.git`, directory: folder },
  })
  expect(description).toMatch(/^[A-Z].{20,}\.$/)
  expect(keywords).toSatisfy((words: string[]) => words.includes('lead-distribution') && words.length > 2)
  expect(engines).toEqual({ node: expect.stringMatching(/^>=22\.\d+$/) })
  expect(files).toEqual(expect.arrayContaining(['dist']))
  expect(manifest.publishConfig).toMatchObject({ access: 'public' })
})

it.each(published)('$folder exports from dist what it exports from its sources here', ({ manifest }) => {
  const entries = (exports: unknown) => Object.entries(exports as object)
  const paths = (exports: unknown) =>
    entries(exports).flatMap(([path, source]) => (JSON.stringify(source).includes('.fixture.') ? [] : [path]))
  expect(paths((manifest.publishConfig as Manifest).exports)).toEqual(paths(manifest.exports))
})

it('keeps all of them in the fixed group of the changesets, which name no other', () => {
  const { fixed } = JSON.parse(readFileSync(join(root, '.changeset/config.json'), 'utf8'))
  expect(fixed).toEqual([['@lead-distribution/*']])
  const names = published.map(({ manifest }) => manifest.name)
  const changed = globSync('.changeset/*.md', { cwd: root }).flatMap(path =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/^'(@lead-distribution\/[\w-]+)':/gm)].map(([, name]) => name),
  )
  expect(changed.filter(name => !names.includes(name ?? ''))).toEqual([])
})
