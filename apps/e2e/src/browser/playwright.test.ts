import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../architecture/sources.ts'
import { installPackages } from '../code-blocks/reader.fixture.ts'
import { chromiumPath, hasBrowser } from './open-browser.ts'

let folder = ''
beforeAll(async () => {
  if (!hasBrowser) return
  folder = await mkdtemp(join(tmpdir(), 'playwright-'))
  await installPackages(folder)
  const launchOptions = { executablePath: await chromiumPath(), args: ['--no-sandbox', '--disable-gpu'] }
  const config = { testDir: '.', workers: 2, fullyParallel: true, timeout: 30_000, use: { launchOptions } }
  await writeFile(join(folder, 'playwright.config.ts'), `export default ${JSON.stringify(config)}\n`)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Report {
  readonly stats: { readonly expected: number; readonly unexpected: number; readonly flaky: number }
  readonly errors: readonly { readonly message: string }[]
  readonly suites: readonly { readonly specs: readonly { readonly tests: readonly PlaywrightTest[] }[] }[]
}
interface PlaywrightTest {
  readonly results: readonly { readonly workerIndex: number }[]
}

/** Runs a file of the folder by Playwright's own runner, up to its end. */
async function runSpec(name: string): Promise<Report> {
  const cli = join(folder, 'node_modules/@playwright/test/cli.js')
  const report = join(folder, `${name}.json`)
  await promisify(execFile)(process.execPath, [cli, 'test', name, '--reporter', 'json'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, PLAYWRIGHT_JSON_OUTPUT_NAME: report },
    timeout: 150_000,
  }).catch((error: { stdout: string; stderr: string }) => expect.fail(`${error.stdout}\n${error.stderr}`))
  return JSON.parse(await readFile(report, 'utf8'))
}

describe.skipIf(!hasBrowser)("the sandbox in Playwright's own runner", () => {
  it('keeps the tests of several workers apart, all with one customer', async () => {
    await cp(join(root, 'apps/e2e/src/browser/many-accounts.fixture.ts'), join(folder, 'many-accounts.spec.ts'))
    const { stats, suites } = await runSpec('many-accounts.spec.ts')
    expect(stats).toMatchObject({ expected: 12, unexpected: 0, flaky: 0 })
    const results = suites.flatMap(({ specs }) => specs).flatMap(({ tests }) => tests.flatMap(test => test.results))
    expect(new Set(results.map(({ workerIndex }) => workerIndex)).size).toBeGreaterThan(1)
  })
})
