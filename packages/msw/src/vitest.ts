/**
 * A tenant for each test of vitest.
 * @module @lead-distribution/msw/vitest
 */

import { beforeAll, beforeEach } from 'vitest'
import { createLeadSandbox, type LeadSandbox } from './lead-sandbox.ts'
import type { LeadTenant } from './open-sandbox.ts'
import type { LeadSandboxOptions } from './options.ts'

declare module 'vitest' {
  interface TestContext {
    /** The test's own tenant of the lead sandbox, in the scope of `useLeadSandbox`. */
    leadSandbox: LeadTenant
  }
}

/** A server of msw: `setupServer()`, or `setupWorker()` in a browser. */
export interface MockServer {
  /** Adds handlers before those of the server. */
  use(...handlers: LeadSandbox['handlers']): void
  /** The handlers that the server has. */
  listHandlers(): readonly unknown[]
}

/** How the tenants of tests are created. All options are optional. */
export interface UseLeadSandboxOptions extends Omit<LeadSandboxOptions, 'name'> {
  /** The server that the project has already. By default one listens from before the tests until after them. */
  readonly server?: MockServer | undefined
  /**
   * What the server that listens by default does with a request to anywhere else, such as the server that is tested. By
   * default msw lets it through and warns; `bypass` does not warn, `error` has it fail.
   */
  readonly onUnhandledRequest?: 'warn' | 'bypass' | 'error' | undefined
}

/**
 * Gives each test of the file, or of the surrounding `describe`, its own tenant: tests share no lead, fault, clock or
 * callback, also where they run concurrently. Call it where hooks are registered.
 *
 * It returns the tenant of the test that runs. Concurrent tests take theirs from their context:
 * `it.concurrent('…', async ({ leadSandbox }) => { … })`.
 * @throws TypeError before the tests, where an option is unknown.
 * @throws ControlError before the tests, where the value of an option is refused.
 * @example
 * ```ts
 * import { useLeadSandbox } from '@lead-distribution/msw/vitest'
 * import { setupServer } from 'msw/node'
 * import { it } from 'vitest'
 *
 * useLeadSandbox({ server: setupServer() })
 *
 * it.concurrent('has a tenant of its own', async ({ leadSandbox }) => {
 *   report(leadSandbox.account.base_url)
 * })
 * ```
 */
export function useLeadSandbox({
  server,
  onUnhandledRequest = 'warn',
  ...options
}: UseLeadSandboxOptions = {}): LeadTenant {
  const running = new Set<LeadTenant>()
  let sandbox: LeadSandbox
  let mocking = server

  beforeAll(async () => {
    sandbox = await createLeadSandbox(options)
    if (server) return sandbox.close
    const { setupServer } = await import('msw/node')
    const own = setupServer(...sandbox.handlers)
    // The names of msw 3 and msw 2.
    const unhandled = { onUnhandledFrame: onUnhandledRequest, onUnhandledRequest }
    own.listen(unhandled)
    mocking = own
    return async () => {
      own.close()
      await sandbox.close()
    }
  })

  beforeEach(async context => {
    const { handlers } = sandbox
    // Each time: `resetHandlers` after a test removes them.
    if (!mocking?.listHandlers().includes(handlers[0])) mocking?.use(...handlers)
    const tenant = await sandbox.createTenant({ ...options, name: undefined })
    running.add(tenant)
    context.leadSandbox = tenant
    return async () => {
      running.delete(tenant)
      await tenant.close()
    }
  })

  function current(): LeadTenant {
    const [tenant] = running
    if (tenant && running.size === 1) return tenant
    throw new Error(
      tenant
        ? 'Several tests run at once: take `leadSandbox` from the context of the test.'
        : 'No test runs: use the lead sandbox in a test, or in a hook around each.',
    )
  }

  // The tenant of the test that runs, looked up at each use.
  return new Proxy({} as LeadTenant, { get: (_, property) => Reflect.get(current(), property) })
}
