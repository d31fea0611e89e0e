/**
 * Give each vitest test its own tenant, and add matchers.
 * @module @lead-distribution/msw/vitest
 */

import type { Tenant } from '@lead-distribution/control-client'
import { beforeAll, beforeEach, expect } from 'vitest'
import { createLeadSandbox, type LeadSandbox } from './lead-sandbox.ts'
import { explainFailuresBy, type LeadMatchers, leadMatchers } from './matchers.ts'
import { deleteIfThere } from './open-sandbox.ts'
import type { LeadSandboxOptions } from './options.ts'

export { explainFailuresBy, type LeadMatchers } from './matchers.ts'

declare module 'vitest' {
  // The parameter names must match vitest 5.
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> extends LeadMatchers {}
  interface TestContext {
    /** The test's own tenant, if `useLeadSandbox` was called. */
    leadSandbox: Tenant
  }
}

expect.extend(leadMatchers)

/**
 * An msw server: `setupServer()`, or `setupWorker()` in a browser.
 * @category Testing
 */
export interface MockServer {
  /** Adds handlers in front of the server's own. */
  use(...handlers: LeadSandbox['handlers']): void
  /** Returns the server's handlers. */
  listHandlers(): readonly unknown[]
}

/**
 * The options for the tests' tenants, all optional.
 * @category Options
 */
export interface UseLeadSandboxOptions extends Omit<LeadSandboxOptions, 'name'> {
  /** Your own msw server. By default, a server starts before the tests and closes after them. */
  readonly server?: MockServer | undefined
  /**
   * Determines how the default server treats requests to other hosts, such as the server under test. `warn` (the
   * default) lets them through with a warning, `bypass` without one, and `error` makes them fail.
   */
  readonly onUnhandledRequest?: 'warn' | 'bypass' | 'error' | undefined
}

/**
 * Gives each test in the file, or in the surrounding `describe`, its own tenant: tests share no leads, faults, clock or
 * callbacks, even if they run concurrently. Call it where you register hooks.
 *
 * Returns the tenant of the running test. Concurrent tests get theirs from their context: `it.concurrent('…', async ({
 * leadSandbox }) => { … })`.
 * @throws TypeError before the tests: an option is unknown.
 * @throws ControlError before the tests: the value of an option is invalid.
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
 * @category Testing
 */
export function useLeadSandbox(options: UseLeadSandboxOptions = {}): Tenant {
  const { server, onUnhandledRequest = 'warn', ...sandboxOptions } = options
  const running = new Set<Tenant>()
  let sandbox: LeadSandbox
  let mocking = server

  beforeAll(async () => {
    sandbox = await createLeadSandbox(sandboxOptions)
    if (server) return sandbox.close
    const { setupServer } = await import('msw/node')
    const own = setupServer(...sandbox.handlers)
    // The option names in msw 3 and msw 2.
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
    // Added each time, because `resetHandlers` after a test removes them.
    if (!mocking?.listHandlers().includes(handlers[0])) mocking?.use(...handlers)
    const tenant = await sandbox.createTenant({ ...sandboxOptions, name: undefined })
    running.add(tenant)
    const forget = explainFailuresBy(tenant)
    context.leadSandbox = tenant
    return async () => {
      running.delete(tenant)
      forget()
      await deleteIfThere(tenant)
    }
  })

  function current(): Tenant {
    const [tenant] = running
    if (tenant && running.size === 1) return tenant
    throw new Error(
      tenant
        ? 'Several tests are running: use `leadSandbox` from the test context.'
        : 'No test is running: use the lead sandbox in a test, or in `beforeEach` or `afterEach`.',
    )
  }

  // The tenant of the running test, looked up on each access.
  return new Proxy({} as Tenant, { get: (_, property) => Reflect.get(current(), property) })
}
