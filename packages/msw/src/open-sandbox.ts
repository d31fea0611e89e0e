import { dateTimeMs, wireError } from '@lead-distribution/contract'
import { realTimer } from '@lead-distribution/contract/real-timer'
import {
  ControlError,
  createControlClient,
  createTestLeads,
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
import { createBrowserTimers } from './browser-timers.ts'
import { createCallbackDialer, type OnCallback } from './callback-dialer.ts'
import { checkOptions, defaultBaseUrl, type LeadSandboxOptions, originOf, type TenantOptions } from './options.ts'

/** A tenant of the sandbox, with the methods of `@lead-distribution/control-client`. */
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

/** The callback URL of a tenant that has `onCallback` but no URL. */
const publisherUrl = 'https://publisher.test/callbacks'

const notSent = "not sent: set `onCallback` to receive callbacks in process, or `callbacks: 'fetch'` to send them"

const closed = wireError('internal_error', 'The lead sandbox is closed. Create a new one, or close it later.')
const closedResponse = {
  status: closed.status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify(closed.body),
}

/** Opens the simulator in this process, with its storage in memory. */
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
    waitTimer: realTimer,
    entropy: { bytes: count => crypto.getRandomValues(new Uint8Array(count)) },
    dialer: createCallbackDialer({
      timer: timers,
      receiverOf: async leadId => receivers.get((await sandbox.tenantOf(leadId)) ?? ''),
      refuse: options.callbacks === 'fetch' ? url => refuseCallbackUrl(url, fetchedHosts) : () => notSent,
    }),
    origin,
    access: {},
    allowedCallbackHosts: namedHosts,
    onError: error => console.error('An error in the lead sandbox:', error),
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
      // A function takes the callbacks: no host is dialed, so any is allowed.
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

/** The routes of the control plane, from the simulator's own declarations, which are loaded anyway. */
const routes = Object.fromEntries(
  Object.entries(controlOperations).map(([name, { methods, path }]) => [name, `${methods[0]} ${path}`]),
) as Routes

/** Calls the control plane through the handler that also serves it over a socket. */
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
    const result = JSON.parse(response.body)
    if (response.status >= 400) throw new ControlError(operation, response.status, result)
    return result
  }
}

interface LeadTenantParts {
  readonly sandbox: Pick<Sandbox, 'account'>
  readonly frozenAt: string | undefined
  readonly onClose: () => void
}

function leadTenant(tenant: Tenant, { sandbox, frozenAt, onClose }: LeadTenantParts): LeadTenant {
  const { name } = tenant
  const today = frozenAt === undefined ? {} : { today: new Date(dateTimeMs(frozenAt)) }
  let catalogues = 0
  return {
    ...tenant,
    get account() {
      const account = sandbox.account(name)
      if (!account) throw new Error('The tenant is closed. Create a new one.')
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
