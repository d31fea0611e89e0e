import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { root } from '../architecture/sources.ts'
import { installPackages } from '../guides/reader.fixture.ts'
import { typeFaults } from '../guides/type-faults.ts'
import { codeBlocks } from './code-block.ts'

const blocks = ['packages/msw/README.md', 'docs/sdks/offline-tests.md'].flatMap(page =>
  codeBlocks(readFileSync(join(root, page), 'utf8')),
)
const modules = blocks.filter(({ language }) => language === 'ts')
const tests = modules.filter(({ name }) => name?.endsWith('.test'))

describe('packages/msw/README.md', () => {
  let folder = ''
  const pathOf = (name = '') => join(folder, `${name}.ts`)
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'readme-'))
    await installPackages(folder)
    for (const { name, code } of modules) writeFileSync(pathOf(name), code)
    return () => rmSync(folder, { recursive: true, force: true })
  })

  it('has no block without a test', () => {
    expect(blocks.map(({ name, line }) => name ?? `line ${line}`)).toEqual([
      ...[
        'install',
        'ten-lines.test',
        'matchers.test',
        'matchers.output',
        'side-by-side.test',
        'own-server.test',
        'by-hand',
        'faults.test',
        'clock.test',
      ],
      // What a matcher prints is in matchers.test.ts.
      // The block of the browser is the page of msw-page.test.ts, that of Playwright runs in playwright.test.ts.
      ...['callbacks.test', 'browser', 'playwright.spec'],
    ])
  })

  it('shows a test of ten lines first', () => {
    const [first] = tests
    expect(first?.code.split('\n').filter(line => line.trim() !== '').length).toBe(10)
  })

  it('has TypeScript that compiles in a strict project', () => {
    expect(typeFaults(modules.map(({ name }) => pathOf(name)))).toEqual([])
  })

  it('has tests that pass unchanged', async () => {
    const command = join(root, 'node_modules/vitest/vitest.mjs')
    // Those of Playwright are for its own runner.
    const args = [
      'run',
      '.test.ts',
      '--root',
      folder,
      '--reporter',
      'json',
      '--outputFile',
      join(folder, 'report.json'),
    ]
    await promisify(execFile)(process.execPath, [command, ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH },
    }).catch((error: { stdout: string; stderr: string }) => expect.fail(`${error.stdout}\n${error.stderr}`))
    const { success, testResults } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))
    expect(success).toBe(true)
    expect(testResults.map((file: { name: string }) => file.name.slice(folder.length + 1)).sort()).toEqual(
      tests.map(({ name }) => `${name}.ts`).sort(),
    )
  })

  it('opens a sandbox by hand as it shows', async () => {
    const { account, handlers, close, server } = await import(pathOf('by-hand'))
    expect([account.tenant, server.listHandlers()]).toEqual(['test-1', handlers])
    await close()
  })
})
