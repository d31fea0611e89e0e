import { basePath } from '@lead-distribution/contract'
import { canonicalHost, createMemoryStorage, createSandbox, type Sandbox } from '@lead-distribution/simulator'
import { createCallbackDialer, type OnCallback } from './callback-dialer.ts'
import { createControl } from './control.ts'
import { createLeadTenant, type LeadTenant, type TenantOptions } from './lead-tenant.ts'
import { createPageTime } from './page-time.ts'

/** How a sandbox is made. All of it may be left out. */
export interface LeadSandboxOptions extends TenantOptions {
  /**
   * Where the service seems to stand; ends in `/api/v1`. Default `https://sandbox.leads.test/api/v1`. A host whose first
   * label is `sandbox` counts as one (Spec 9): the SDKs send their sandbox keys nowhere else.
   */
  readonly baseUrl?: string | undefined
  /**
   * What becomes of callbacks that no `onCallback` takes: `'in_process'` (the default) sends none, `'fetch'` sends them
   * for real, past all handlers of msw, to this machine and to the allowed hosts.
   */
  readonly callbacks?: 'in_process' | 'fetch' | undefined
  /** Hosts besides this machine that callbacks may be fetched from, such as `app.example.test`. */
  readonly allowedCallbackHosts?: readonly string[] | undefined
}

/** A sandbox that is open, on no wire yet. */
export interface OpenSandbox {
  /** What stands before the path of every URL of the sandbox. */
  readonly origin: string
  readonly handle: Sandbox['handle']
  openTenant(options?: TenantOptions): Promise<LeadTenant>
  close(): Promise<void>
}

const defaultBaseUrl = `https://sandbox.leads.test${basePath}`

/** Where callbacks go that a function takes and that were given no URL. */
const publisherUrl = 'https://publisher.test/callbacks'

/** Opens the simulator over memory, with this process for its world. */
export async function openSandbox(options: LeadSandboxOptions): Promise<OpenSandbox> {
  const origin = originOf(options.baseUrl ?? defaultBaseUrl)
  const time = createPageTime()
  const receivers = new Map<string, OnCallback>()
  const allowedCallbackHosts = [...(options.allowedCallbackHosts ?? [])]
  let tenants = 0

  const sandbox = await createSandbox({
    storage: createMemoryStorage(),
    clock: { now: () => Date.now() },
    timer: time,
    entropy: { bytes: count => crypto.getRandomValues(new Uint8Array(count)) },
    dialer: createCallbackDialer({
      timer: time,
      receiverOf: async leadId => receivers.get((await sandbox.tenantOf(leadId)) ?? ''),
      fetches: options.callbacks === 'fetch',
    }),
    origin,
    access: {},
    allowedCallbackHosts,
    onFault: fault => console.error('A fault of the lead sandbox:', fault),
  })
  const handle: Sandbox['handle'] = request => time.whileAwaited(() => sandbox.handle(request))

  return {
    origin,
    handle,
    async openTenant({ name = `test-${++tenants}`, seed = 'msw', onCallback, ...more } = {}) {
      const { callbackUrl = onCallback && publisherUrl, frozenAt, profile, settings } = more
      // A function takes it: no host is dialled, so any may be named.
      if (onCallback && callbackUrl) allowedCallbackHosts.push(canonicalHost(new URL(callbackUrl).hostname) ?? '')
      await createControl(handle, name).createTenant({
        name,
        seed,
        profile,
        settings,
        callback_url: callbackUrl,
        frozen_at: frozenAt,
      })
      if (onCallback) receivers.set(name, onCallback)
      return createLeadTenant({ sandbox, handle, name, frozenAt, onClose: () => receivers.delete(name) })
    },
    close: () => sandbox.close(),
  }
}

function originOf(baseUrl: string): string {
  const { href } = new URL(baseUrl)
  const base = href.replace(/\/+$/, '')
  if (!base.endsWith(basePath))
    throw new TypeError(`Give a baseUrl that ends in ${basePath}, such as ${defaultBaseUrl}.`)
  return base.slice(0, -basePath.length)
}
