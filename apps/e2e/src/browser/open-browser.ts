import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import chromiumBinary from '@sparticuz/chromium'
import { type Browser, chromium, type Page } from 'playwright-core'

/**
 * Returns the path of the Chromium that an npm package ships. The package unpacks it into the folder for temporary files at
 * the first start, and takes a file that is there for a whole one: a second process has to wait until it is.
 */
export async function chromiumPath(): Promise<string> {
  const lock = join(tmpdir(), 'chromium-is-unpacked.lock')
  // A process that was killed while unpacking leaves its lock: do not wait for it forever.
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

/** A host name that resolves to this machine, like that of a shared sandbox. */
export const otherName = 'sandbox.test'

/** Starts the Chromium that an npm package ships. It can reach only this machine, and sends no requests of its own. */
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

/** The worker's browser, shared by its test files. Each page has its own cookies. */
export function sharedBrowser(): Promise<Browser> {
  shared ??= openBrowser()
  return shared
}

/** A page, with its errors and its requests to other origins. */
export interface WatchedPage {
  readonly page: Page
  /** Console errors and warnings, script errors, and violations of the page's policy. */
  readonly complaints: string[]
  /** Requested URLs outside the page's origin. */
  readonly elsewhere: string[]
}

/** Opens a page and watches it from its first request. */
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
