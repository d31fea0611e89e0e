import { wireError } from '@lead-distribution/contract'
import { createMemoryStorage, createSandbox, refuseCallbackUrl, type Sandbox } from '@lead-distribution/simulator'
import { createCallbackDialer, type OnCallback } from './callback-dialer.ts'
import { createControl } from './control.ts'
import { createLeadTenant, type LeadTenant, type TenantOptions } from './lead-tenant.ts'
import { checkOptions, defaultBaseUrl, type LeadSandboxOptions, originOf } from './options.ts'
import { createPageTime } from './page-time.ts'

/** A sandbox that is open, on no wire yet. */
export interface OpenSandbox {
  /** What stands before the path of every URL of the sandbox. */
  readonly origin: string
  readonly handle: Sandbox['handle']
  openTenant(options?: TenantOptions): Promise<LeadTenant>
  close(): Promise<void>
}

/** Where callbacks go that a function takes and that were given no URL. */
const publisherUrl = 'https://publisher.test/callbacks'

const notSent = "not sent: give onCallback to take it, or callbacks: 'fetch' to send it"

const closed = wireError('internal_error', 'The lead sandbox is closed: open another one, or close it later.')
const closedReply = {
  status: closed.status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify(closed.body),
}

/** Opens the simulator over memory, with this process for its world. */
export async function openSandbox(options: LeadSandboxOptions): Promise<OpenSandbox> {
  checkOptions(options)
  const origin = originOf(options.baseUrl ?? defaultBaseUrl)
  const time = createPageTime()
  const receivers = new Map<string, OnCallback>()
  const fetchedHosts = options.allowedCallbackHosts ?? []
  const namedHosts = [...fetchedHosts]
  let tenants = 0
  let isClosed = false

  const sandbox = await createSandbox({
    storage: createMemoryStorage(),
    clock: { now: () => Date.now() },
    timer: time,
    entropy: { bytes: count => crypto.getRandomValues(new Uint8Array(count)) },
    dialer: createCallbackDialer({
      timer: time,
      receiverOf: async leadId => receivers.get((await sandbox.tenantOf(leadId)) ?? ''),
      refuse: options.callbacks === 'fetch' ? url => refuseCallbackUrl(url, fetchedHosts) : () => notSent,
    }),
    origin,
    access: {},
    allowedCallbackHosts: namedHosts,
    onError: fault => console.error('A fault of the lead sandbox:', fault),
  })
  const handle: Sandbox['handle'] = async request =>
    isClosed ? closedReply : time.whileAwaited(() => sandbox.handle(request))

  return {
    origin,
    handle,
    async openTenant(options = {}) {
      checkOptions(options)
      const { name = `test-${++tenants}`, seed = 'msw', onCallback } = options
      const { callbackUrl = onCallback && publisherUrl, frozenAt, profile, settings } = options
      // A function takes it: no host is dialled, so any may be named.
      if (onCallback && callbackUrl && URL.canParse(callbackUrl)) namedHosts.push(new URL(callbackUrl).hostname)
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
    close() {
      isClosed = true
      return sandbox.close()
    },
  }
}
