import { createTestLeads, type TestLead } from '@lead-distribution/contract/test-leads'
import { connectSandbox, type Tenant } from '@lead-distribution/control-client'
import { type SandboxServer, startServer } from '@lead-distribution/sandbox'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { hasBrowser, sharedBrowser } from '../browser/open-browser.ts'
import { buildConsole, openConsole, overflowOf, screens, violationsOf } from './console.fixture.ts'
import { Keyboard } from './keyboard.ts'
import { submitLead } from './submit-lead.ts'

/** The things of a journey: the page of a new sandbox, a keyboard, and an application that calls the service. */
export interface Walk {
  readonly page: Page
  readonly keyboard: Keyboard
  readonly server: SandboxServer
  /** The tenant that the page shows first. */
  readonly demo: Tenant
  /** Test leads of that tenant. */
  readonly leads: ReturnType<typeof createTestLeads>
  /** Submits as the publisher's application does, which knows nothing of the page. */
  readonly submit: (lead: TestLead, signal?: AbortSignal) => ReturnType<typeof submitLead>
  /** Waits for a heading, then looks at the page: nothing for axe to find, and nothing cut off. */
  readonly stop: (heading?: string | RegExp) => Promise<void>
}

/** Walks a journey on each screen, on a sandbox of its own, in one browser for the file. */
export function describeJourneys(journeys: Readonly<Record<string, (walk: Walk) => Promise<void>>>): void {
  let browser: Browser
  beforeAll(async () => {
    if (!hasBrowser) return
    await buildConsole()
    browser = await sharedBrowser()
  })

  describe.skipIf(!hasBrowser).each(Object.entries(journeys))('by keyboard alone: %s', (_goal, journey) => {
    it.each(screens)('$name', async screen => {
      const server = await startServer({ port: 0, logLevel: 'silent' })
      onTestFinished(() => server.close())
      const { page, complaints, elsewhere } = await openConsole(browser, server.url, screen)
      await page.goto(server.url)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await journey(await walkOf(server, page))
      // A browser itself complains of each response that is an error: those, a journey is there to see.
      const others = complaints.filter(text => !text.startsWith('Failed to load resource'))
      expect([others, elsewhere]).toEqual([[], []])
    })
  })
}

async function walkOf(server: SandboxServer, page: Page): Promise<Walk> {
  const { tenant: demo } = await connectSandbox(server.url)
  return {
    page,
    server,
    demo,
    keyboard: new Keyboard(page),
    leads: createTestLeads(demo.account),
    submit: (lead, signal) => submitLead(demo.account, lead, signal),
    async stop(heading) {
      if (heading) await page.getByRole('heading', { name: heading }).first().waitFor()
      expect(await violationsOf(page)).toEqual([])
      expect(await overflowOf(page)).toBe(0)
    },
  }
}
