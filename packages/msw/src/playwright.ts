import type { BrowserContext, Fixtures, Page, PlaywrightTestArgs } from '@playwright/test'
import { getResponse } from 'msw'
import { createLeadSandbox, type LeadSandbox } from './lead-sandbox.ts'
import type { LeadTenant } from './lead-tenant.ts'
import type { LeadSandboxOptions } from './options.ts'

/** What each test is given. */
export interface LeadSandboxFixtures {
  /** The test's own account of the lead sandbox. */
  leadSandbox: LeadTenant
}

/** What each worker of Playwright has once. */
export interface LeadSandboxWorkerFixtures {
  leadSandboxOfWorker: LeadSandbox
}

/**
 * Answers what the pages of a context, or a page, ask of the sandbox, in the process of the test: no worker script is
 * needed. Pages may call it from any origin.
 */
export async function routeLeadSandbox(
  pages: BrowserContext | Page,
  { handlers, account }: LeadSandbox,
): Promise<void> {
  const { origin } = new URL(account.base_url)
  await pages.route(
    url => url.origin === origin,
    async route => {
      const asked = route.request()
      const request = new Request(asked.url(), {
        method: asked.method(),
        headers: await asked.allHeaders(),
        body: asked.postDataBuffer() as Uint8Array<ArrayBuffer> | null,
      })
      const reply = await getResponse(handlers, request)
      // What is not the sandbox's belongs to the page's own server.
      if (!reply) return route.fallback()
      if (reply.type === 'error') return route.abort('connectionreset')
      const { status, headers } = reply
      await route.fulfill({ status, headers: Object.fromEntries(headers), body: await reply.text() })
    },
  )
}

/**
 * Fixtures for `test.extend` of Playwright: one sandbox for each worker, and `leadSandbox`, an account of each test's own
 * that the pages of its context reach.
 */
export function leadSandboxFixtures(
  options: Omit<LeadSandboxOptions, 'name'> = {},
): Fixtures<LeadSandboxFixtures, LeadSandboxWorkerFixtures, PlaywrightTestArgs> {
  return {
    leadSandboxOfWorker: [
      // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs off its source.
      async ({}, use) => {
        const sandbox = await createLeadSandbox(options)
        await use(sandbox)
        await sandbox.close()
      },
      { scope: 'worker' },
    ],
    leadSandbox: async ({ context, leadSandboxOfWorker }, use) => {
      await routeLeadSandbox(context, leadSandboxOfWorker)
      const tenant = await leadSandboxOfWorker.openTenant({ ...options, name: undefined })
      await use(tenant)
      await tenant.close()
    },
  }
}
