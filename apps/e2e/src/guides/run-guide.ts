import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '@lead-distribution/sandbox'
import { vi } from 'vitest'
import { freePort } from '../adapters/sockets.ts'
import { hasBrowser, sharedBrowser } from '../browser/open-browser.ts'
import { isOutput, Names } from './compare-output.ts'
import { type Guide, parseGuide, type Step } from './parse-guide.ts'
import { installCommands, installPackages, Reader, type Terminal } from './reader.fixture.ts'

/** Presses a button on the page at a URL. */
export type PressButton = (url: string, button: string) => Promise<unknown>

/** Prepares a reader's folder; answers the environment of the reader's shell. The sandbox of the guide is at the port. */
export type Prepare = (folder: string, port: string) => Promise<Record<string, string>>

/** A folder in which everything that guides use is installed already, from its sources. */
const installedFromSources: Prepare = async (folder, port) => {
  await installPackages(folder)
  return installCommands(folder, port)
}

/** The sandbox of a guide that starts none itself. */
export interface GuideSandbox {
  readonly url: string
  close(): Promise<void>
}

/** A server over a SQLite file in a folder. */
const overSqlite = (folder: string): Promise<GuideSandbox> =>
  startServer({ port: 0, data: join(folder, 'sandbox.db'), logLevel: 'silent' })

/** How long it may take until what the guide shows is there, milliseconds: far above what it needs. */
const patienceMs = 100_000

/** A guide on its way: what was printed so far, and what its ids mean. */
class FollowedGuide {
  readonly #reader: Reader
  readonly #press: PressButton
  readonly #comparison
  #typed: Extract<Step, { kind: 'command' }> | undefined
  #output = ''
  #terminal: Terminal | undefined
  #page: string | undefined

  constructor(reader: Reader, exactTimes: boolean, press: PressButton) {
    this.#reader = reader
    this.#press = press
    this.#comparison = { names: new Names(), exactTimes }
  }

  /** Takes the next step. Rejects where it does not come out as the guide says. */
  async take(step: Step): Promise<void> {
    try {
      await this.#take(step)
    } catch (error) {
      throw new Error(`Line ${step.line} of the guide: ${(error as Error).message}`)
    }
  }

  async #take(step: Step): Promise<void> {
    if (step.kind === 'file') await this.#reader.save(step.name, step.code)
    if (step.kind === 'terminal') this.#terminal = await this.#reader.open(step.code)
    if (step.kind === 'stop') await this.#reader.interrupt(step.command)
    if (step.kind === 'command') await this.#type(step)
    if (step.kind === 'press') await this.#press(this.#page ?? 'no redirect_url was printed', step.button)
    if (step.kind !== 'output') return
    const { format, text, of, isLate } = step
    if (of === 'command' && !isLate) return this.#compare(format, text, this.#output)
    const compareAgain = async () => {
      if (of === 'command' && this.#typed) await this.#type(this.#typed)
      this.#compare(format, text, of === 'command' ? this.#output : (this.#terminal?.printed() ?? ''))
    }
    await vi.waitFor(compareAgain, { timeout: patienceMs })
  }

  async #type(step: Extract<Step, { kind: 'command' }>): Promise<void> {
    const { code, exit } = step
    const ended = await this.#reader.type(code)
    if (ended.code !== exit) throw new Error(`the block ended with ${ended.code} instead of ${exit}.\n${ended.output}`)
    this.#typed = step
    this.#output = ended.output
    this.#page = /https?:\/\/[^\s"]+\/_sandbox\/advertiser\/[^\s"]+/.exec(ended.output)?.[0] ?? this.#page
  }

  #compare(format: 'json' | 'text', shown: string, printed: string): void {
    if (isOutput(format, shown, printed, this.#comparison)) return
    throw new Error(`the guide shows\n${shown}\nbut this was printed:\n${printed}`)
  }
}

/** The ports that guides name, that of the sandbox and those of receivers: each run takes free ones for them. */
const documentedPorts = /\b40[1-4]\d\b/g
const sandboxPort = '4010'

/** A guide as it is where the sandbox is at a port. */
async function withFreePorts(markdown: string, port: string): Promise<string> {
  const ports = new Map([[sandboxPort, port]])
  for (const [documented] of markdown.matchAll(documentedPorts))
    if (!ports.has(documented)) ports.set(documented, String(await freePort()))
  return markdown.replace(documentedPorts, documented => ports.get(documented) ?? documented)
}

/**
 * Follows a guide from its first block to its last, as its reader would, with its own sandbox over a SQLite file; where the guide starts a sandbox itself, with that one. Rejects where a command fails, or prints something else
 * than the guide shows.
 */
export async function runGuide(
  markdown: string,
  press: PressButton,
  prepare: Prepare = installedFromSources,
): Promise<void> {
  const isStarted = startsSandbox(parseGuide(markdown))
  const folder = await mkdtemp(join(tmpdir(), 'guide-'))
  const work = join(folder, 'work')
  let server: GuideSandbox | undefined
  try {
    await mkdir(work)
    if (!isStarted) server = await overSqlite(folder)
    const port = server ? new URL(server.url).port : String(await freePort())
    const { steps, exactTimes } = parseGuide(await withFreePorts(markdown, port))
    await using reader = new Reader(work, await prepare(work, port))
    const followed = new FollowedGuide(reader, exactTimes, press)
    for (const step of steps) await followed.take(step)
  } finally {
    await server?.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Returns true if a guide starts a sandbox by itself, to stay or for a certification. */
function startsSandbox({ steps }: Guide): boolean {
  return steps.some(
    step =>
      (step.kind === 'terminal' && step.code.includes('lead-sandbox start')) ||
      (step.kind === 'command' && step.code.includes('lead-sandbox certify')),
  )
}

/**
 * Presses a button of an advertiser's page as a customer would, in a real browser; answers what the page then shows.
 * If no browser is shipped for the machine, sends the form as the button would.
 */
export async function pressButton(url: string, button: string): Promise<string> {
  if (!hasBrowser) return sendForm(url, button)
  const page = await (await sharedBrowser()).newPage()
  try {
    page.setDefaultTimeout(60_000)
    await page.goto(url)
    await page.getByRole('button', { name: button }).click()
    return (await page.getByRole('status').locator('p').textContent()) ?? ''
  } finally {
    await page.close()
  }
}

async function sendForm(url: string, button: string): Promise<string> {
  const page = await (await fetch(url)).text()
  const token = /name="token" value="([^"]+)"/.exec(page)?.[1]
  const event = page.match(/<button [^>]*value="\w+">[^<]+/g)?.find(each => each.endsWith(`>${button}`))
  if (!token || !event) throw new Error(`The page has no button ${button}.`)
  const body = new URLSearchParams({ token, event: /value="(\w+)"/.exec(event)?.[1] ?? '' })
  const shown = await (await fetch(url, { method: 'POST', body })).text()
  return /role="status"><p>([^<]+)/.exec(shown)?.[1] ?? ''
}
