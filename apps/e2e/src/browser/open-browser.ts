import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import chromiumBinary from '@sparticuz/chromium'
import { type Browser, chromium, type Page } from 'playwright-core'

/**
 * The path of the Chromium that an npm package ships. The package unpacks it into the folder for temporary files at
 * the first start, and takes a file that is there for a whole one: a second process has to wait until it is.
 */
export async function chromiumPath(): Promise<string> {
  const lock = join(tmpdir(), 'chromium-is-unpacked.lock')
  // A process that was killed while unpacking leaves its lock: nobody waits for it for ever.
  for (let tries = 0; tries < 600; tries++) {
    const taken = await open(lock, 'wx').catch(() => undefined)
    if (taken) {
      await taken.close()
      break
    }
    await pause(50)
  }
  try {
    return await chromiumBinary.executablePath()
  } finally {
    await rm(lock, { force: true })
  }
}

/** True if the npm package ships a Chromium for this machine: it does only for Linux on x64. */
export const hasBrowser = process.platform === 'linux' && process.arch === 'x64'

/** A name that leads the browser to this machine, as that of a shared sandbox would. */
export const otherName = 'sandbox.test'

/** Starts the Chromium that an npm package ships. It finds no host but this machine, and asks for nothing by itself. */
export async function openBrowser(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: await chromiumPath(),
    args: [
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-gpu',
      `--host-resolver-rules=MAP ${otherName} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`,
      ...more,
    ],
  })
}

let shared: Promise<Browser> | undefined

/** The browser of all files that a worker runs; it ends with the worker. Each of its pages has cookies of its own. */
export function sharedBrowser(): Promise<Browser> {
  shared ??= openBrowser()
  return shared
}

/** A page, and what went wrong on it or went elsewhere. */
export interface WatchedPage {
  readonly page: Page
  /** Errors and warnings of the console, scripts that failed, and what the page's policy refused. */
  readonly complaints: string[]
  /** The URLs that were asked for outside of the page's origin. */
  readonly elsewhere: string[]
}

/** Opens a page that is watched from its first request on. */
export async function openPage(browser: Browser, origin: string): Promise<WatchedPage> {
  const page = await browser.newPage()
  page.setDefaultTimeout(60_000)
  const complaints: string[] = []
  const elsewhere: string[] = []
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(String(error)))
  page.on('request', request => {
    const url = new URL(request.url())
    if (/^(https?|wss?):$/.test(url.protocol) && url.origin !== origin) elsewhere.push(request.url())
  })
  await page.exposeFunction('refusedByPolicy', (what: string) => complaints.push(`refused by the policy: ${what}`))
  await page.addInitScript(
    "addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => refusedByPolicy(violatedDirective + ' ' + blockedURI))",
  )
  return { page, complaints, elsewhere }
}
