import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { root } from '../architecture/sources.ts'
import { installPackages, installPlaywright, saveFile } from '../code-blocks/reader.fixture.ts'
import { hasBrowser } from './open-browser.ts'

interface Report {
  readonly stats: { readonly expected: number; readonly unexpected: number; readonly flaky: number }
  readonly suites: readonly { readonly specs: readonly { readonly tests: readonly PlaywrightTest[] }[] }[]
}
interface PlaywrightTest {
  readonly results: readonly { readonly workerIndex: number }[]
}

it.skipIf(!hasBrowser)("Playwright's own runner isolates tests in several workers that share a customer", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'playwright-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await installPackages(folder)
  await installPlaywright(folder)
  await saveFile(folder, { name: 'playwright.config.ts', code: 'export default { workers: 2, fullyParallel: true }' })
  await cp(join(root, 'apps/e2e/src/browser/many-accounts.fixture.ts'), join(folder, 'many-accounts.spec.ts'))
  const report = join(folder, 'report.json')
  await promisify(execFile)('node_modules/.bin/playwright', ['test', '--reporter', 'json'], {
    cwd: folder,
    env: {
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      HOME: folder,
      PLAYWRIGHT_JSON_OUTPUT_NAME: report,
    },
  }).catch((error: { stdout: string; stderr: string }) => expect.fail(`${error.stdout}\n${error.stderr}`))
  const { stats, suites }: Report = JSON.parse(await readFile(report, 'utf8'))
  expect(stats).toMatchObject({ expected: 12, unexpected: 0, flaky: 0 })
  const results = suites.flatMap(({ specs }) => specs).flatMap(({ tests }) => tests.flatMap(test => test.results))
  expect(new Set(results.map(({ workerIndex }) => workerIndex)).size).toBeGreaterThan(1)
})
