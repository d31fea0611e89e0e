import { basePath } from '@lead-distribution/contract'
import { sandboxPath } from '@lead-distribution/simulator/paths'
import { type HttpHandler, http } from 'msw'
import type { LeadTenant, TenantOptions } from './lead-tenant.ts'
import { type OpenSandbox, openSandbox } from './open-sandbox.ts'
import type { LeadSandboxOptions } from './options.ts'
import { toHttpRequest, toResponse } from './wire.ts'

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
 * @throws TypeError where an option is unknown, or the base URL is none that ends in `/api/v1`; {@link ControlError} where
 *   the value of an option is refused.
 */
export function createLeadSandbox(options: LeadSandboxOptions = {}): Promise<LeadSandbox> {
  return withoutParts(openLeadSandbox(options))
}

/** Says what is missing where somebody takes a part off the promise of a sandbox. */
function withoutParts(opening: Promise<LeadSandbox>): Promise<LeadSandbox> {
  for (const part of ['handlers', 'account', 'control', 'testLeads'] satisfies (keyof LeadSandbox)[])
    Object.defineProperty(opening, part, {
      get() {
        throw new TypeError(`Write await in front of createLeadSandbox: its promise has no ${part}, what it opens has.`)
      },
    })
  return opening
}

async function openLeadSandbox(options: LeadSandboxOptions): Promise<LeadSandbox> {
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
  // An expression, not a path of msw: that takes no URL of more than 8 KiB, and `/*` for something below alone.
  const ours = new RegExp(`^${literally(origin)}(?:${basePath}|${sandboxPath})(?:/|$)`)
  return [
    http.all(ours, async ({ request }) => toResponse(await handle(await toHttpRequest(request, origin)), request)),
  ]
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
