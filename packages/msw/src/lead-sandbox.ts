import { basePath } from '@lead-distribution/contract'
import { sandboxPath } from '@lead-distribution/simulator/surface'
import { type HttpHandler, http } from 'msw'
import type { LeadTenant, TenantOptions } from './lead-tenant.ts'
import { type LeadSandboxOptions, type OpenSandbox, openSandbox } from './open-sandbox.ts'
import { toResponse, toWireRequest } from './wire.ts'

/** The lead distribution sandbox in this process: one account to begin with, and what msw answers requests by. */
export interface LeadSandbox extends LeadTenant {
  /** For `setupServer(...handlers)` and `setupWorker(...handlers)`: the service, and the pages behind its URLs. */
  readonly handlers: HttpHandler[]
  /** Opens another account, which knows nothing of the others: the key of a request tells whose it is. */
  openTenant(options?: TenantOptions): Promise<LeadTenant>
  /** Ends all that goes on by itself. Nothing of it keeps a process alive. */
  close(): Promise<void>
}

/**
 * Opens a sandbox: the rules, scenarios, faults, clock and callbacks of the sandbox server, by the same code, over
 * memory and without a socket.
 * @throws TypeError where the base URL does not end in `/api/v1`; {@link ControlError} where an option is refused.
 */
export async function createLeadSandbox(options: LeadSandboxOptions = {}): Promise<LeadSandbox> {
  const sandbox = await openSandbox(options)
  const first = await sandbox.openTenant(options)
  return {
    handlers: createHandlers(sandbox),
    control: first.control,
    get account() {
      return first.account
    },
    get testLeads() {
      return first.testLeads
    },
    openTenant: sandbox.openTenant,
    close: sandbox.close,
  }
}

/** The sandbox behind msw. Paths and methods are judged behind it, as at every door. */
function createHandlers({ origin, handle }: OpenSandbox): HttpHandler[] {
  return [basePath, sandboxPath].map(path =>
    http.all(`${origin}${path}/*`, async ({ request }) =>
      toResponse(await handle(await toWireRequest(request, origin)), request),
    ),
  )
}
