import { createTestLeads, type TestLead } from '@lead-distribution/contract/test-leads'
import { connectSandbox, type Tenant } from '@lead-distribution/control-client'
import { type SandboxServer, startServer } from '@lead-distribution/sandbox'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { hasBrowser, sharedBrowser } from '../browser/open-browser.ts'
import { buildConsole, openConsole, overflowOf, type Screen, screens, turnTo, violationsOf } from './console.fixture.ts'
import { Keyboard } from './keyboard.ts'
import { submitLead } from './submit-lead.ts'

/** A journey's equipment: a new sandbox's page, a keyboard, and an application that calls the service. */
export interface Walk {
  readonly page: Page
  readonly keyboard: Keyboard
  readonly server: SandboxServer
  /** The tenant that the page shows initially. */
  readonly demo: Tenant
  /** Test leads of that tenant. */
  readonly leads: ReturnType<typeof createTestLeads>
  /** Submits like the publisher's application, independent of the page. */
  readonly submit: (lead: TestLead, signal?: AbortSignal) => ReturnType<typeof submitLead>
  /** Checks the page: nothing is cut off, and axe finds nothing on a page or dialog with a heading. */
  readonly stop: (heading?: string | RegExp) => Promise<void>
}

/**
 * Walks each journey on one of the screens, in turn, with its own sandbox and one browser for the file. Where a journey
 * stops, its page is given the width of the other screen for a moment: nothing is cut off there, either.
 */
export function describeJourneys(journeys: Readonly<Record<string, (walk: Walk) => Promise<void>>>): void {
  let browser: Browser
  beforeAll(async () => {
    if (!hasBrowser) return
    await buildConsole()
    browser = await sharedBrowser()
  })

  const walks = Object.entries(journeys).map(([goal, journey], index) => ({
    goal,
    journey,
    screen: screens[index % screens.length] ?? screens[0],
    other: screens[(index + 1) % screens.length] ?? screens[0],
  }))
  describe.skipIf(!hasBrowser)('by keyboard alone', () => {
    it.each(walks)('$goal, $screen.name', async ({ journey, screen, other }) => {
      const server = await startServer({ port: 0, logLevel: 'silent' })
      onTestFinished(() => server.close())
      const { page, complaints, elsewhere } = await openConsole(browser, server.url, screen)
      await page.goto(server.url)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await journey(await walkOf(server, page, screen, other))
      // A browser logs each error response. Journeys expect them.
      const others = complaints.filter(text => !text.startsWith('Failed to load resource'))
      expect([others, elsewhere]).toEqual([[], []])
    })
  })
}

async function walkOf(server: SandboxServer, page: Page, screen: Screen, other: Screen): Promise<Walk> {
  const { tenant: demo } = await connectSandbox(server.url)
  return {
    page,
    server,
    demo,
    keyboard: new Keyboard(page),
    leads: createTestLeads(demo.account),
    submit: (lead, signal) => submitLead(demo.account, lead, signal),
    async stop(heading) {
      if (heading) {
        await page.getByRole('heading', { name: heading }).first().waitFor()
        expect(await violationsOf(page)).toEqual([])
      }
      expect(await overflowOf(page)).toBe(0)
      await turnTo(page, other)
      expect(await overflowOf(page), `at a width of ${other.width}`).toBe(0)
      await turnTo(page, screen)
    },
  }
}
