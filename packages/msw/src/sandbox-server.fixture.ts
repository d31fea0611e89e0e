import { createPublisher, type Publisher } from '@lead-distribution/publisher-sdk'
import { setupServer } from 'msw/node'
import { onTestFinished } from 'vitest'
import { createLeadSandbox, type LeadSandbox, type LeadSandboxOptions, type Tenant } from './index.ts'

/** Makes msw treat an unhandled request as an error; the names are those of msw 3 and msw 2. */
export const strict = { onUnhandledFrame: 'error', onUnhandledRequest: 'error' } as const

/** Starts a sandbox and an msw server that treats unhandled requests as errors. Both end with the test. */
export async function listeningSandbox(options: LeadSandboxOptions = {}): Promise<LeadSandbox> {
  const sandbox = await createLeadSandbox(options)
  const server = setupServer(...sandbox.handlers)
  server.listen(strict)
  onTestFinished(async () => {
    server.close()
    await sandbox.close()
  })
  return sandbox
}

/** Creates a publisher client for an account. */
export function publisherOf({ account }: Pick<Tenant, 'account'>): Publisher {
  return createPublisher({ baseUrl: account.base_url, apiKey: account.publisher.api_key })
}
