import { dateTimeMs, wireError } from '@lead-distribution/contract'
import { realTimer } from '@lead-distribution/contract/real-timer'
import {
  ControlError,
  createControlClient,
  createTestLeads,
  type Send,
  type Tenant,
} from '@lead-distribution/control-client'
import { createMemoryStorage, createSandbox, refuseCallbackUrl, type Sandbox } from '@lead-distribution/simulator'
import { createBrowserTimers } from './browser-timers.ts'
import { createCallbackDialer, type OnCallback } from './callback-dialer.ts'
import { checkOptions, defaultBaseUrl, type LeadSandboxOptions, originOf, type TenantOptions } from './options.ts'

/** A sandbox in this process, without an adapter. */
export interface OpenSandbox {
  /** The origin of all URLs of the sandbox. */
  readonly origin: string
  readonly handle: Sandbox['handle']
  createTenant(options?: TenantOptions): Promise<Tenant>
  close(): Promise<void>
}

/** The callback URL of a tenant that has an `onCallback` function but no URL. */
const publisherUrl = 'https://publisher.test/callbacks'

const notSent = "not sent: set `onCallback` to receive callbacks in process, or `callbacks: 'fetch'` to send them"

const closed = wireError('internal_error', 'The lead sandbox is closed. Create a new one, or close it later.')
const closedResponse = {
  status: closed.status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify(closed.body),
}

/** Opens a simulator in this process, with storage in memory. */
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
  const client = createControlClient(sendInProcess(handle))

  return {
    origin,
    handle,
    async createTenant(options = {}) {
      checkOptions(options)
      const { name = `test-${++tenants}`, seed = 'msw', onCallback, frozenAt, profile, settings } = options
      const { callbackUrl = onCallback && publisherUrl } = options
      // A function receives the callbacks: no host is contacted, so any URL is allowed.
      if (onCallback && callbackUrl && URL.canParse(callbackUrl)) namedHosts.push(new URL(callbackUrl).hostname)
      const tenant = await client.createTenant({ name, seed, profile, settings, callbackUrl, frozenAt })
      // A function receives the callbacks of the tenant that currently has its name.
      if (onCallback) receivers.set(name, onCallback)
      else receivers.delete(name)
      return withCurrentAccount(tenant, sandbox, frozenAt)
    },
    close() {
      isClosed = true
      return sandbox.close()
    },
  }
}

/** Calls the control plane through the same handler that serves it over a socket. */
function sendInProcess(handle: Sandbox['handle']): Send {
  return async ({ operation, method, path, headers, body, responds }) => {
    const response = await handle({
      method,
      target: path,
      headers: { 'content-type': 'application/json', ...headers },
      body: body instanceof Uint8Array ? body : new TextEncoder().encode(JSON.stringify(body)),
    })
    if (response.stream) return response.stream
    if (responds === 'text' && response.status < 400) return response.body
    const result = JSON.parse(response.body)
    if (response.status >= 400) throw new ControlError(operation, response.status, result)
    return result
  }
}

/** A tenant whose account stays current, and whose test leads follow its own clock. */
function withCurrentAccount(tenant: Tenant, sandbox: Pick<Sandbox, 'account'>, frozenAt: string | undefined): Tenant {
  const { name } = tenant
  const today = frozenAt === undefined ? {} : { today: new Date(dateTimeMs(frozenAt)) }
  let catalogs = 0
  return {
    ...tenant,
    get account() {
      const account = sandbox.account(name)
      if (!account) throw new Error('The tenant was deleted, or its sandbox is closed. Create a new one.')
      return account
    },
    get testLeads() {
      return createTestLeads(this.account, { tag: `${name}-${++catalogs}`, ...today })
    },
  }
}

/** Deletes a test's tenant, unless the test has already deleted it. */
export async function deleteIfThere(tenant: Tenant): Promise<void> {
  await tenant.delete().catch(error => {
    if (!ControlError.is(error) || error.status !== 404) throw error
  })
}
