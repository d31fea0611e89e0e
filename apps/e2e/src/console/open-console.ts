import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, Page, Request } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { root } from '../architecture/sources.ts'
import { openPage, type WatchedPage } from '../browser/open-browser.ts'

/** The size of a desktop. */
export const desktop = { name: 'desktop', width: 1280, height: 800 } as const

/** The size of a phone. */
export const phone = { name: 'phone', width: 390, height: 844 } as const

/** The screens that a page is shown on: their sizes, and whether the system asks for dark colours. */
export const screens = [
  { ...desktop, name: 'desktop, light', colorScheme: 'light' },
  { ...desktop, name: 'desktop, dark', colorScheme: 'dark' },
  { ...phone, name: 'phone, light', colorScheme: 'light' },
  { ...phone, name: 'phone, dark', colorScheme: 'dark' },
] as const

/** What a page is shown on. */
export interface Screen {
  readonly width: number
  readonly height: number
  readonly colorScheme: 'light' | 'dark'
}

/** Builds the console where it is not built from these sources, as `npm start` does. */
export async function buildConsole(): Promise<void> {
  await promisify(execFile)(process.execPath, [join(root, '.ci/build-console.mjs')])
}

/** A page that is watched, at the size and in the colours of a screen; closed after the test. */
export async function openConsole(browser: Browser, origin: string, screen: Screen): Promise<WatchedPage> {
  const watched = await openPage(browser, origin)
  watchRequests(watched.page)
  onTestFinished(() => watched.page.close())
  await watched.page.setViewportSize(screen)
  await watched.page.emulateMedia({ colorScheme: screen.colorScheme, reducedMotion: 'reduce' })
  return watched
}

const underWay = new WeakMap<Page, Set<Request>>()

function watchRequests(page: Page): void {
  const requests = new Set<Request>()
  underWay.set(page, requests)
  page.on('request', request => request.url().endsWith('/events') || requests.add(request))
  page.on('requestfinished', request => requests.delete(request))
  page.on('requestfailed', request => requests.delete(request))
}

/** Resolves when the page asks for nothing any more, besides its stream of events, which does not end. */
export async function settled(page: Page): Promise<void> {
  let quiet = 0
  while (quiet < 5) {
    await new Promise(resolve => setTimeout(resolve, 100))
    quiet = underWay.get(page)?.size === 0 ? quiet + 1 : 0
  }
}

/** By how many pixels the page is wider than its screen: something is cut off then. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
}

const axe = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The rules of axe whose outcome depends on colours; it has another, which is off unless asked for. */
export const colourRules = ['color-contrast', 'link-in-text-block']

/** What axe finds wrong with the page: the rule, and the elements that break it; by all its rules, or by some. */
export async function violationsOf(page: Page, rules?: string[]): Promise<string[]> {
  // 650 KB of code: a page keeps them until it is loaded anew.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(await axe)
  return page.evaluate(async only => {
    const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run(only ? { runOnly: only } : {})
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
  }, rules)
}

interface Axe {
  run(options: { runOnly?: readonly string[] }): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
}
