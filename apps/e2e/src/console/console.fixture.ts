import { connectSandbox, type Tenant } from '@lead-distribution/control-client'
import { type SandboxServer, startServer } from '@lead-distribution/sandbox'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { hasBrowser, openBrowser } from '../browser/open-browser.ts'
import { buildConsole, openConsole, type Screen, screens } from './open-console.ts'

/** A sandbox with the console, and a browser, for all tests of a file. */
export function openForFile() {
  let browser: Browser
  let server: SandboxServer
  beforeAll(async () => {
    if (!hasBrowser) return
    await buildConsole()
    browser = await openBrowser()
    server = await startServer({ port: 0, logLevel: 'silent' })
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  return {
    async createTenant(creation: { name?: string; seed?: string } = {}): Promise<Tenant> {
      return (await connectSandbox(server.url)).createTenant(creation)
    },

    /** A page that shows nothing yet: `show` opens a path of the console, such as `demo/leads`. */
    async openPage(screen: Screen = screens[0]) {
      const watched = await openConsole(browser, server.url, screen)
      return { ...watched, show: (path: string) => watched.page.goto(`${server.url}/_sandbox/#/${path}`) }
    },
  }
}
