import { getResponse } from 'msw'
import { createLeadSandbox, type LeadSandbox } from './lead-sandbox.ts'
import type { LeadTenant } from './lead-tenant.ts'
import type { LeadSandboxOptions } from './open-sandbox.ts'

/** As much of Playwright's `BrowserContext` and `Page` as is needed. */
export interface RoutedPages {
  route(url: (url: URL) => boolean, handler: (route: PageRoute) => Promise<void>): Promise<unknown>
}

/** As much of Playwright's `Route` as is needed. */
export interface PageRoute {
  request(): {
    url(): string
    method(): string
    allHeaders(): Promise<Record<string, string>>
    postDataBuffer(): Uint8Array | null
  }
  fulfill(reply: { status: number; headers: Record<string, string>; body: string }): Promise<void>
  abort(errorCode: string): Promise<void>
}

/** The fixtures of {@link leadSandboxFixtures}, as `test.extend` takes them. */
export interface LeadSandboxFixtures {
  readonly leadSandboxOfWorker: [
    (given: object, use: (sandbox: LeadSandbox) => Promise<void>) => Promise<void>,
    { scope: 'worker' },
  ]
  readonly leadSandbox: (
    given: { context: RoutedPages; leadSandboxOfWorker: LeadSandbox },
    use: (tenant: LeadTenant) => Promise<void>,
  ) => Promise<void>
}

/**
 * Answers what the pages of a context, or a page, ask of the sandbox, in the process of the test: no worker script is
 * needed. Pages may call it from any origin.
 */
export async function routeLeadSandbox(pages: RoutedPages, { handlers, account }: LeadSandbox): Promise<void> {
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
      if (!reply || reply.type === 'error') return route.abort(reply ? 'connectionreset' : 'namenotresolved')
      const { status, headers } = reply
      await route.fulfill({ status, headers: Object.fromEntries(headers), body: await reply.text() })
    },
  )
}

/**
 * Fixtures for `test.extend` of Playwright: one sandbox for each worker, and `leadSandbox`, an account of each test's own
 * that the pages of its context reach.
 */
export function leadSandboxFixtures(options: Omit<LeadSandboxOptions, 'name'> = {}): LeadSandboxFixtures {
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
