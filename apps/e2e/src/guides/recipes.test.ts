import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../adapters/sockets.ts'
import { root } from '../architecture/sources.ts'
import { chromiumPath, hasBrowser } from '../browser/open-browser.ts'
import { allRecipes, parseGuide } from './parse-guide.ts'
import { installCommands, installPackages } from './reader.fixture.ts'
import { pressButton, runGuide } from './run-guide.ts'
import { typeFaults } from './type-faults.ts'

/** An empty project that has installed our packages. */
async function openProject() {
  const folder = mkdtempSync(join(tmpdir(), 'recipe-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  await installPackages(folder)
  return folder
}

/** Saves the files of a recipe; answers their paths. */
function save(folder: string, markdown: string): string[] {
  return parseGuide(markdown).steps.flatMap(step => {
    if (step.kind !== 'file') return []
    const path = join(folder, step.name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${step.code}\n`)
    return [path]
  })
}

describe('the recipes', () => {
  it.concurrent.each(allRecipes)('$name comes out as it says', ({ markdown }) => runGuide(markdown, pressButton))

  it('are all listed in the index', () => {
    const index = readFileSync(join(root, 'docs/recipes/README.md'), 'utf8')
    expect(allRecipes.filter(({ name }) => !index.includes(`(${name})`))).toEqual([])
  })

  it('are short: 40 to 120 lines', () => {
    const lengths = allRecipes.map(({ name, markdown }) => ({ name, lines: markdown.trimEnd().split('\n').length }))
    expect(lengths.filter(({ lines }) => lines < 40 || lines > 120)).toEqual([])
  })

  it('leave out what needs a Docker engine or a browser, and nothing else', () => {
    const left = allRecipes.flatMap(({ markdown }) => parseGuide(markdown).steps.filter(({ kind }) => kind === 'left'))
    expect(
      left
        .map(step => step.kind === 'left' && step.reason)
        .filter(reason => !/Docker engine|browser/.test(`${reason}`)),
    ).toEqual([])
  })

  it('compile in a strict project', async () => {
    const folder = await openProject()
    const paths = allRecipes.flatMap(({ name, markdown }) => save(join(folder, name.replace('.md', '')), markdown))
    expect(typeFaults(paths.filter(path => path.endsWith('.ts')))).toEqual([])
  })
})

it.skipIf(!hasBrowser)('the recipe for Playwright runs by its own command, in a real browser', async () => {
  const [port, sitePort] = [String(await freePort()), String(await freePort())]
  const markdown = allRecipes.find(({ name }) => name === 'playwright.md')?.markdown ?? ''
  const folder = await openProject()
  save(folder, markdown.replace(/\b4010\b/g, port).replace(/\b4043\b/g, sitePort))
  const env = await installCommands(folder, port)
  // The browser of our tests, which a reader does not need.
  const launchOptions = JSON.stringify({
    executablePath: await chromiumPath(),
    args: ['--no-sandbox', '--disable-gpu'],
  })
  const config = `import config from './playwright.config.ts'
export default { ...config, timeout: 60_000, use: { ...config.use, launchOptions: ${launchOptions} } }
`
  writeFileSync(join(folder, 'with-browser.config.ts'), config)
  const cli = join(folder, 'node_modules/@playwright/test/cli.js')
  const args = [cli, 'test', '--config', 'with-browser.config.ts', '--reporter', 'line']
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env }).catch(error =>
    expect.fail(`${error.stdout}\n${error.stderr}`),
  )
  expect(stdout).toContain('5 passed')
})
