import { wireError } from '@lead-distribution/contract'
import {
  ControlError,
  createControlClient,
  type Routes,
  type Send,
  type Tenant,
} from '@lead-distribution/control-client/core'
import {
  controlOperations,
  createMemoryStorage,
  createSandbox,
  refuseCallbackUrl,
  type Sandbox,
} from '@lead-distribution/simulator'
import { controlPath } from '@lead-distribution/simulator/paths'
import { createTestLeads } from '@lead-distribution/test-leads'
import { createBrowserTimers } from './browser-timers.ts'
import { createCallbackDialer, type OnCallback } from './callback-dialer.ts'
import { checkOptions, defaultBaseUrl, type LeadSandboxOptions, originOf, type TenantOptions } from './options.ts'

/** A tenant of the sandbox: that of `@lead-distribution/control-client`, in process. */
export interface LeadTenant extends Tenant {
  /** Deletes the tenant and everything in it. */
  close(): Promise<void>
}

/** A sandbox in this process, without an adapter. */
export interface OpenSandbox {
  /** The part of every URL of the sandbox before the path. */
  readonly origin: string
  readonly handle: Sandbox['handle']
  createTenant(options?: TenantOptions): Promise<LeadTenant>
  close(): Promise<void>
}

/** The callback URL of a tenant that has a function to take its callbacks and no URL. */
const publisherUrl = 'https://publisher.test/callbacks'

const notSent = "not sent: give onCallback to take it, or callbacks: 'fetch' to send it"

const closed = wireError('internal_error', 'The lead sandbox is closed: create another one, or close it later.')
const closedResponse = {
  status: closed.status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify(closed.body),
}

/** Opens the simulator over memory, in this process. */
export async function openSandbox(options: LeadSandboxOptions): Promise<OpenSandbox> {
  checkOptions(options)
  const origin = originOf(options.baseUrl ?? defaultBaseUrl)
  const timers = createBrowserTimers()
  const receivers = new Map<string, OnCallback>()
  const fetchedHosts = options.allowedCallbackHosts ?? []
  const namedHosts = [...fetchedHosts]
  let tenants = 0
  let isClosed = false

  const sandbox = await createSandbox({
    storage: createMemoryStorage(),
    clock: { now: () => Date.now() },
    timer: timers,
    entropy: { bytes: count => crypto.getRandomValues(new Uint8Array(count)) },
    dialer: createCallbackDialer({
      timer: timers,
      receiverOf: async leadId => receivers.get((await sandbox.tenantOf(leadId)) ?? ''),
      refuse: options.callbacks === 'fetch' ? url => refuseCallbackUrl(url, fetchedHosts) : () => notSent,
    }),
    origin,
    access: {},
    allowedCallbackHosts: namedHosts,
    onError: error => console.error('An error of the lead sandbox:', error),
  })
  const handle: Sandbox['handle'] = async request =>
    isClosed ? closedResponse : timers.whileAwaited(() => sandbox.handle(request))
  const client = createControlClient(sendInProcess(handle), routes)

  return {
    origin,
    handle,
    async createTenant(options = {}) {
      checkOptions(options)
      const { name = `test-${++tenants}`, seed = 'msw', onCallback, frozenAt, profile, settings } = options
      const { callbackUrl: callback_url = onCallback && publisherUrl } = options
      // A function takes the callbacks: no host is dialled, so any may be named.
      if (onCallback && callback_url && URL.canParse(callback_url)) namedHosts.push(new URL(callback_url).hostname)
      const tenant = await client.createTenant({ name, seed, profile, settings, callback_url, frozen_at: frozenAt })
      if (onCallback) receivers.set(name, onCallback)
      return leadTenant(tenant, { sandbox, frozenAt, onClose: () => receivers.delete(name) })
    },
    close() {
      isClosed = true
      return sandbox.close()
    },
  }
}

/** The simulator is here: its declarations are the routes, and a second table of them need not be loaded. */
const routes = Object.fromEntries(
  Object.entries(controlOperations).map(([name, { methods, path }]) => [name, `${methods[0]} ${path}`]),
) as Routes

/** Calls the control plane by the very handler that answers it over a socket. */
function sendInProcess(handle: Sandbox['handle']): Send {
  return async ({ operation, method, path, query, headers, body }) => {
    const search = new URLSearchParams(query).toString()
    const response = await handle({
      method,
      target: `${controlPath}${path}${search && `?${search}`}`,
      headers: { ...headers, 'content-type': 'application/json' },
      body: new TextEncoder().encode(JSON.stringify(body)),
    })
    if (response.stream) return response.stream
    const reply = JSON.parse(response.body)
    if (response.status >= 400) throw new ControlError(operation, response.status, reply)
    return reply
  }
}

interface LeadTenantParts {
  readonly sandbox: Pick<Sandbox, 'account'>
  readonly frozenAt: string | undefined
  readonly onClose: () => void
}

function leadTenant(tenant: Tenant, { sandbox, frozenAt, onClose }: LeadTenantParts): LeadTenant {
  const { name } = tenant
  const today = frozenAt === undefined ? {} : { today: new Date(frozenAt) }
  let catalogues = 0
  return {
    ...tenant,
    get account() {
      const account = sandbox.account(name)
      if (!account) throw new Error('The tenant is closed: create another one.')
      return account
    },
    get testLeads() {
      return createTestLeads(this.account, { tag: `${name}-${++catalogues}`, ...today })
    },
    async close() {
      onClose()
      if (sandbox.account(name)) await tenant.delete()
    },
  }
}
