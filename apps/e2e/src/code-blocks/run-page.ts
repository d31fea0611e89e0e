import { mkdir, mkdtemp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { startServer } from '@lead-distribution/sandbox'
import { vi } from 'vitest'
import { freePort } from '../adapters/sockets.ts'
import { hasBrowser, sharedBrowser } from '../browser/open-browser.ts'
import { isOutput, Names } from './compare-output.ts'
import { exactTimes, type Page, parsePage, type Step } from './parse-page.ts'
import { installCommands, installPackages, interpreters, Reader, saveFile } from './reader.fixture.ts'

/** A page that a reader follows from top to bottom, and the steps that the page leaves to the reader. */
export interface PageToRun extends Page {
  /** The language that the reader chooses in tabs. */
  readonly language?: string
  /** The page's needs: commands, or a `browser`. */
  readonly needs?: readonly string[]
  /** Prepares the reader's folder, with the sandbox at a port. Resolves to the shell's environment. */
  readonly prepare?: (folder: string, port: string) => Promise<Record<string, string>>
  /** Patterns of commands' output, by command name, if the page shows none. */
  readonly prints?: Readonly<Record<string, RegExp>>
  /** Commands that the reader types at the end, with patterns of their output. */
  readonly afterwards?: Readonly<Record<string, RegExp>>
}

/** A folder with everything that pages use, installed from source. */
export async function installFromSources(folder: string, port: string): Promise<Record<string, string>> {
  await installPackages(folder)
  return installCommands(folder, port)
}

/**
 * Runs a page from top to bottom as its reader would, in a fresh folder below another one, with its own sandbox over a SQLite
 * file, or with the one that it starts. Rejects where a command fails, or prints something else than the page shows. Resolves
 * to the paths of the files that it saved.
 */
export async function runPage(page: PageToRun, parent: string): Promise<string[]> {
  const { path, language, prepare = installFromSources } = page
  const folder = await mkdtemp(join(parent, 'page-'))
  const work = join(folder, 'work')
  await mkdir(work)
  const stepsOf = (markdown: string) => parsePage({ path, markdown }).filter(({ tab = language }) => tab === language)
  const startsSandbox = stepsOf(page.markdown).some(
    step => 'code' in step && /lead-sandbox (start|certify)/.test(step.code),
  )
  const server = startsSandbox
    ? undefined
    : await startServer({ port: 0, data: join(folder, 'sandbox.db'), logLevel: 'silent' })
  try {
    const port = server ? new URL(server.url).port : String(await freePort())
    const steps = stepsOf(await withFreePorts(page.markdown, port))
    await using reader = new Reader(work, await prepare(work, port))
    return await follow(page, steps, reader, work)
  } finally {
    await server?.close()
  }
}

/** The ports that pages name, for the sandbox and for receivers. Each run uses free ports. */
const documentedPorts = /\b40[1-4]\d\b/g

async function withFreePorts(markdown: string, sandboxPort: string): Promise<string> {
  const ports = new Map([['4010', sandboxPort]])
  for (const [documented] of markdown.matchAll(documentedPorts))
    if (!ports.has(documented)) ports.set(documented, String(await freePort()))
  return markdown.replace(documentedPorts, documented => ports.get(documented) ?? documented)
}

/** The time to wait for the shown output, milliseconds: far more than it needs. */
const patienceMs = 100_000

async function follow(page: PageToRun, steps: readonly Step[], reader: Reader, work: string): Promise<string[]> {
  const comparison = { names: new Names(), exactTimes: page.markdown.includes(exactTimes) }
  const saved: string[] = []
  let typeAgain = async () => {}
  let printed = ''
  let terminal = () => ''
  let advertiserPage = 'no redirect_url was printed'

  async function type(code: string, exit = 0, prints?: RegExp): Promise<void> {
    typeAgain = () => type(code, exit, prints)
    const ended = await reader.type(code)
    printed = ended.printed
    advertiserPage = /https?:\/\/[^\s"]+\/_sandbox\/advertiser\/[^\s"]+/.exec(printed)?.[0] ?? advertiserPage
    if (ended.exit !== exit) throw new Error(`\`${code}\` ended with ${ended.exit} instead of ${exit}.\n${printed}`)
    if (prints && !prints.test(printed)) throw new Error(`\`${code}\` should print ${prints}, but printed:\n${printed}`)
  }

  async function compare({ format, text, of, isLate }: Extract<Step, { kind: 'output' }>): Promise<void> {
    const compareNow = () => {
      const actual = of === 'command' ? printed : terminal()
      if (!isOutput(format, text, actual, comparison))
        throw new Error(`the page shows\n${text}\nbut the output is\n${actual}`)
    }
    if (of === 'terminal') return vi.waitFor(compareNow, { timeout: patienceMs })
    if (!isLate) return compareNow()
    await vi.waitFor(() => typeAgain().then(compareNow), { timeout: patienceMs })
  }

  async function take(step: Step): Promise<void> {
    if (step.kind === 'terminal') terminal = await reader.open(step.code)
    if (step.kind === 'stop') await reader.interrupt(step.command)
    if (step.kind === 'command') await type(step.code, step.exit, page.prints?.[step.name ?? ''])
    if (step.kind === 'press') await pressButton(advertiserPage, step.button)
    if (step.kind === 'output') await compare(step)
    if (step.kind !== 'file') return
    saved.push(await saveFile(work, step))
    // A reader runs a program from a tab as soon as it is saved.
    if (step.tab) await type(`${interpreters[step.tab]} ${step.name}`)
  }

  for (const name of Object.keys(page.prints ?? {}))
    if (!steps.some(step => step.kind === 'command' && step.name === name))
      throw new Error(`${page.path} has no command named ${name}.`)
  for (const step of steps)
    await take(step).catch(error => {
      throw new Error(`${page.path}, line ${step.line}: ${error.message}`)
    })
  // Checked at the end of the page.
  for (const [code, prints] of Object.entries(page.afterwards ?? {})) await type(code, 0, prints)
  const tests = (await readdir(work)).filter(name => name.endsWith('.test.ts')).length
  const runsTests = steps.some(step => step.kind === 'command' && /(npx vitest|node --test)/.test(step.code))
  const passes = new RegExp(`Test Files +${tests} passed \\(${tests}\\)`)
  // vitest's default time-out, five seconds, is too short on a busy machine.
  if (tests > 0 && !runsTests) await type('vitest run .test.ts --testTimeout=60000', 0, passes)
  return saved
}

/** Presses a button on an advertiser's page, in a browser if there is one, else by submitting the form. */
async function pressButton(url: string, button: string): Promise<void> {
  if (!hasBrowser) return sendForm(url, button)
  const page = await (await sharedBrowser()).newPage()
  try {
    page.setDefaultTimeout(60_000)
    await page.goto(url)
    await page.getByRole('button', { name: button }).click()
    await page.getByRole('status').waitFor()
  } finally {
    await page.close()
  }
}

async function sendForm(url: string, button: string): Promise<void> {
  const page = await (await fetch(url)).text()
  const token = /name="token" value="([^"]+)"/.exec(page)?.[1]
  const shown = page.match(/<button [^>]*value="\w+">[^<]+/g)?.find(each => each.endsWith(`>${button}`))
  if (!token || !shown) throw new Error(`The page has no button ${button}.`)
  const body = new URLSearchParams({ token, event: /value="(\w+)"/.exec(shown)?.[1] ?? '' })
  const { status } = await fetch(url, { method: 'POST', body })
  if (status !== 200) throw new Error(`The button ${button} led to a page with status ${status}.`)
}
