/**
 * Use the sandbox in Playwright tests.
 * @module @lead-distribution/msw/playwright
 */

import type { Tenant } from '@lead-distribution/control-client'
import type { BrowserContext, Fixtures, Page, PlaywrightTestArgs } from '@playwright/test'
import { createLeadSandbox, type LeadSandbox } from './lead-sandbox.ts'
import { deleteIfThere } from './open-sandbox.ts'
import type { LeadSandboxOptions } from './options.ts'

/**
 * The fixtures for each test.
 * @category Testing
 */
export interface LeadSandboxFixtures {
  /** The test's own tenant. */
  leadSandbox: Tenant
}

/**
 * The fixtures for each Playwright worker.
 * @category Testing
 */
export interface LeadSandboxWorkerFixtures {
  /** The worker's sandbox, with a tenant for each test. */
  leadSandboxOfWorker: LeadSandbox
}

/**
 * Routes the sandbox's URL, for a page or a whole context, to the sandbox in the test's process. It needs no service
 * worker, and pages may call the sandbox from any origin.
 * @throws Error the context or page is already closed.
 * @example
 * ```ts
 * import { createLeadSandbox } from '@lead-distribution/msw'
 * import { routeLeadSandbox } from '@lead-distribution/msw/playwright'
 * import { test } from '@playwright/test'
 *
 * const sandbox = await createLeadSandbox()
 *
 * test('the form reaches the sandbox', async ({ page }) => {
 *   await routeLeadSandbox(page, sandbox)
 *   await page.goto('http://127.0.0.1:3000/apply')
 * })
 * ```
 * @category Testing
 */
export async function routeLeadSandbox(pages: BrowserContext | Page, sandbox: LeadSandbox): Promise<void> {
  const { fetch, account } = sandbox
  const { origin } = new URL(account.base_url)
  await pages.route(
    url => url.origin === origin,
    async route => {
      const received = route.request()
      const request = new Request(received.url(), {
        method: received.method(),
        headers: await received.allHeaders(),
        body: received.postDataBuffer() as Uint8Array<ArrayBuffer> | null,
      })
      const response = await fetch(request).catch((error: Error) => error)
      if (response instanceof Error) {
        const { code } = Object(response.cause)
        // Leaves all other requests to the page's own server.
        return code === 'ENOTFOUND' ? route.fallback() : route.abort('connectionreset')
      }
      const { status, headers } = response
      await route.fulfill({ status, headers: Object.fromEntries(headers), body: await response.text() })
    },
  )
}

/**
 * Creates fixtures for Playwright's `test.extend`: a sandbox for each worker, and `leadSandbox`, an isolated tenant for
 * each test. All pages in the test's context can reach the tenant.
 * @throws TypeError from the fixture: an option is unknown.
 * @throws ControlError from the fixture: the value of an option is invalid.
 * @example
 * ```ts
 * import { leadSandboxFixtures } from '@lead-distribution/msw/playwright'
 * import { expect, test as base } from '@playwright/test'
 *
 * const test = base.extend(leadSandboxFixtures())
 *
 * test('an application becomes a lead', async ({ page, leadSandbox }) => {
 *   await page.goto('http://127.0.0.1:3000/apply')
 *   await page.getByRole('button', { name: 'Apply' }).click()
 *   expect((await leadSandbox.leads.list()).leads).toHaveLength(1)
 * })
 * ```
 * @category Testing
 */
export function leadSandboxFixtures(
  options: Omit<LeadSandboxOptions, 'name'> = {},
): Fixtures<LeadSandboxFixtures, LeadSandboxWorkerFixtures, PlaywrightTestArgs> {
  return {
    leadSandboxOfWorker: [
      // biome-ignore lint/correctness/noEmptyPattern: Playwright parses the fixture's source for its dependencies.
      async ({}, use) => {
        const sandbox = await createLeadSandbox(options)
        await use(sandbox)
        await sandbox.close()
      },
      { scope: 'worker' },
    ],
    leadSandbox: async ({ context, leadSandboxOfWorker }, use) => {
      await routeLeadSandbox(context, leadSandboxOfWorker)
      const tenant = await leadSandboxOfWorker.createTenant({ ...options, name: undefined })
      await use(tenant)
      await deleteIfThere(tenant)
    },
  }
}
