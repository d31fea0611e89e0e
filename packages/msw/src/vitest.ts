import { beforeAll, beforeEach } from 'vitest'
import { createLeadSandbox, type LeadSandbox } from './lead-sandbox.ts'
import type { LeadTenant } from './lead-tenant.ts'
import type { LeadSandboxOptions } from './options.ts'

declare module 'vitest' {
  interface TestContext {
    /** The test's own account of the lead sandbox, where `useLeadSandbox` stands above the test. */
    leadSandbox: LeadTenant
  }
}

/** As much of a server of msw as is needed: `setupServer()`, or `setupWorker()` in a browser. */
export interface MockServer {
  use(...handlers: LeadSandbox['handlers']): void
  listHandlers(): readonly unknown[]
}

/** How the accounts of tests are made. All of it may be left out. */
export interface UseLeadSandboxOptions extends Omit<LeadSandboxOptions, 'name'> {
  /** Where the project has one already. Without it, one listens from before the tests to behind them. */
  readonly server?: MockServer | undefined
}

/**
 * Gives each test of the file, or of the `describe` that it stands in, an account of its own: no lead, fault, clock or
 * callback of one test is another's, also where tests run side by side. Call it where hooks are set.
 *
 * What it returns is the account of the test that runs. Where several run at once, each takes its own from its context:
 * `it.concurrent('…', async ({ leadSandbox }) => { … })`.
 * @throws ControlError before each test, where an option is refused.
 */
export function useLeadSandbox({ server, ...options }: UseLeadSandboxOptions = {}): LeadTenant {
  const running = new Set<LeadTenant>()
  let sandbox: LeadSandbox
  let mocking = server

  beforeAll(async () => {
    sandbox = await createLeadSandbox(options)
    if (server) return sandbox.close
    const { setupServer } = await import('msw/node')
    const own = setupServer(...sandbox.handlers)
    own.listen()
    mocking = own
    return async () => {
      own.close()
      await sandbox.close()
    }
  })

  beforeEach(async context => {
    const { handlers } = sandbox
    // Each time: `resetHandlers` behind a test takes them away.
    if (!mocking?.listHandlers().includes(handlers[0])) mocking?.use(...handlers)
    const tenant = await sandbox.openTenant({ ...options, name: undefined })
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

  return {
    get account() {
      return current().account
    },
    get control() {
      return current().control
    },
    get testLeads() {
      return current().testLeads
    },
    close: () => current().close(),
  }
}
