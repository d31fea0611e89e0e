import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { connectSandbox, type Tenant } from '@lead-distribution/control-client'
import { type SandboxServer, type ServerOptions, startServer } from '@lead-distribution/sandbox'
import type { Browser, Page, Request } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { root } from '../architecture/sources.ts'
import { hasBrowser, openPage, sharedBrowser, type WatchedPage } from '../browser/open-browser.ts'

/** The screens to check pages on. Together, they cover each width and color scheme. */
export const screens = [
  { name: 'on a desktop, in light colors', width: 1280, height: 800, colorScheme: 'light' },
  { name: 'on a phone, in dark colors', width: 390, height: 844, colorScheme: 'dark' },
] as const

/** The screen of a page. */
export interface Screen {
  readonly width: number
  readonly height: number
  readonly colorScheme: 'light' | 'dark'
}

/** Builds the console unless it is built from these sources, as `npm start` does. */
export async function buildConsole(): Promise<void> {
  await promisify(execFile)(process.execPath, [join(root, '.ci/build-pages.mjs')])
}

/** A watched page with a screen's size and colors. Closes after the test. */
export async function openConsole(browser: Browser, origin: string, screen: Screen): Promise<WatchedPage> {
  const watched = await openPage(browser, origin)
  watchRequests(watched.page)
  onTestFinished(() => watched.page.close())
  await turnTo(watched.page, screen)
  return watched
}

/** Sets a page to a screen's size and colors. */
export async function turnTo(page: Page, screen: Screen): Promise<void> {
  await page.setViewportSize(screen)
  await page.emulateMedia({ colorScheme: screen.colorScheme, reducedMotion: 'reduce' })
}

const underWay = new WeakMap<Page, Set<Request>>()

function watchRequests(page: Page): void {
  const requests = new Set<Request>()
  underWay.set(page, requests)
  page.on('request', request => request.url().endsWith('/events') || requests.add(request))
  page.on('requestfinished', request => requests.delete(request))
  page.on('requestfailed', request => requests.delete(request))
}

/** Resolves when the page sends no more requests, apart from its event stream, which does not end. */
export async function settled(page: Page): Promise<void> {
  let quiet = 0
  while (quiet < 4) {
    await new Promise(resolve => setTimeout(resolve, 50))
    quiet = underWay.get(page)?.size === 0 ? quiet + 1 : 0
  }
}

/** Returns how many pixels the page is wider than its screen. If any, something is cut off. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
}

const axe = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Returns axe's violations on the page, or in a part of it: each rule with the elements that break it. */
export async function violationsOf(page: Page, part = 'html', rules: object = {}): Promise<string[]> {
  // 650 KB of code, so a page keeps it until it reloads.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(await axe)
  // Only violations are read, so passes need no selectors. None of the rules needs style sheets.
  const options = { resultTypes: ['violations'], selectors: false, preload: false, rules }
  return page.evaluate(
    async ([selector, given]) => {
      const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run(selector, given)
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
    },
    [part, options] as const,
  )
}

/** Checks a page on each screen: axe finds nothing, and nothing is cut off. Ends on the first screen. */
export async function expectFlawless(page: Page, where = ''): Promise<void> {
  for (const screen of screens.toReversed()) {
    await turnTo(page, screen)
    await settled(page)
    expect(await violationsOf(page), `${where} ${screen.name}`).toEqual([])
    expect(await overflowOf(page), `${where} ${screen.name}`).toBe(0)
  }
}

interface Axe {
  run(selector: string, options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
}

/** A sandbox with the console, and a browser, for a file's tests. */
export function openForFile(options: Pick<ServerOptions, 'keepsFullRequests'> = {}) {
  let browser: Browser
  let server: SandboxServer
  beforeAll(async () => {
    if (!hasBrowser) return
    await buildConsole()
    browser = await sharedBrowser()
    server = await startServer({ port: 0, logLevel: 'silent', ...options })
  })
  afterAll(() => server?.close())

  return {
    async createTenant(creation: { name?: string; seed?: string; frozenAt?: string } = {}): Promise<Tenant> {
      return (await connectSandbox(server.url)).createTenant(creation)
    },

    /** An empty page. `show` opens a path of the console, such as `demo/leads`. */
    async openPage(screen: Screen = screens[0]) {
      const watched = await openConsole(browser, server.url, screen)
      return { ...watched, show: (path: string) => watched.page.goto(`${server.url}/_sandbox/#/${path}`) }
    },
  }
}
