import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, describe, expect, it } from 'vitest'
import { root } from '../architecture/sources.ts'
import { createProject, execute, readJson, sdks, tarballs, writeEntries } from './project.fixture.ts'

const out = mkdtempSync(join(tmpdir(), 'tarballs-'))
afterAll(() => rmSync(out, { recursive: true }))

async function unpack(tarball: string): Promise<string> {
  const folder = mkdtempSync(join(out, 'package-'))
  await execute('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1'])
  return folder
}
const linesOf = (paths: readonly string[], find: RegExp) =>
  paths.flatMap(path => (readFileSync(path, 'utf8').match(find) ?? []).map(found => `${path}: ${found}`))

describe.each(Object.entries(tarballs))('%s', (_name, tarball) => {
  it('contains its pages, its license and the built files, but no tests', async () => {
    const folder = await unpack(tarball)
    const files = globSync('**', { cwd: folder })
    const pages = ['README.md', 'AGENTS.md', 'CHANGELOG.md', 'LICENSE']
    expect(files).toEqual(expect.arrayContaining([...pages, 'dist/index.js']))
    expect(files.filter(file => /\.(test|fixture)\.|\.tsbuildinfo$|^(src|node_modules)\//.test(file))).toEqual([])
  })

  it('links to no file that npm does not display', async () => {
    const folder = await unpack(tarball)
    const pages = globSync('*.md', { cwd: folder, exclude: ['CHANGELOG.md'] }).map(page => join(folder, page))
    expect(linesOf(pages, /(?<=\]\()(?![a-z]+:|#)[^)\s]+/g)).toEqual([])
  })

  it('embeds the sources in each source map, because users do not have the files', async () => {
    const folder = await unpack(tarball)
    const lacking = globSync('**/*.map', { cwd: folder }).filter(path => {
      const { sources, sourcesContent = [] } = readJson(folder, path)
      return sources.some((_: string, index: number) => !sourcesContent[index])
    })
    expect(lacking).toEqual([])
  })

  it('passes publint', async () => {
    const data = readFileSync(tarball)
    const { messages, pkg } = await publint({ pack: { tarball: new Uint8Array(data).buffer }, strict: true })
    expect(messages.map(message => formatMessage(message, pkg))).toEqual([])
  })

  it('has types for every entry', async () => {
    // The packages are ESM only, so the types that an old CommonJS `require` would find don't matter.
    const options = ['--profile', 'esm-only', '--no-emoji', '--no-color', '--format', 'ascii']
    await execute(join(root, 'node_modules/.bin/attw'), [tarball, ...options])
  })
})

it.each(sdks)('%s sends its package version in the User-Agent', async name => {
  const folder = await unpack(tarballs[name] ?? '')
  const { version } = readJson(folder, 'package.json')
  const found = linesOf(globSync(join(folder, 'dist/*.js')), /^const version = .*/gm)
  expect(found).toEqual([expect.stringContaining(`const version = "${version}"`)])
})

it.each(sdks)('%s declares types from our packages only, without references to specification sections', async name => {
  const files = globSync(join(await unpack(tarballs[name] ?? ''), 'dist/*.d.ts'))
  // A type from zod or ky would tie users to the version of an internal dependency.
  expect(linesOf(files, /^(?!\s*\*).*\b(?:from |import\(|types=)['"](?!\.|@lead-distribution\/).*/gm)).toEqual([])
  expect(linesOf(files, /\bSpec \d.*/g)).toEqual([])
})

it('every entry can be imported', async () => {
  const names = Object.keys(tarballs)
  const peers = { msw: '^3', vitest: '^5', '@playwright/test': '^1' }
  const folder = await createProject('every-entry', names, peers, 'hoisted')
  const imports = writeEntries(folder, names).map(entry => `await import('${entry}')`)
  // Some entries keep the process alive.
  const program = `${imports.join('\n')}\nprocess.exit(0)`
  await execute(process.execPath, ['--input-type=module', '-e', program], { cwd: folder })
})
