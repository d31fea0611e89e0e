import { type ControlOperationName, controlOperations } from '@lead-distribution/simulator'
import type { Adapter } from '../adapters/adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'

/** A tenant with one of everything, and the paths of the control plane's operations on it. */
export interface ControlSubject {
  readonly tenant: Tenant
  /** The path of an operation, from `/_sandbox` on. `with` inserts other ids. */
  path(name: ControlOperationName, ids?: Readonly<Record<string, string>>): string
  /** Everything that the control plane shows of the tenant. Equal as long as nothing changes. */
  state(): Promise<unknown>
}

const shown = [
  '',
  '/leads',
  '/callbacks',
  '/inbox',
  '/clock',
  '/faults',
  '/requests',
  '/snapshots',
  '/coverage',
  '/tokens',
  '/hosts',
]

/** Creates such a tenant, with a frozen clock and without a listener, which would receive its callbacks. */
export async function createControlSubject(adapter: Adapter): Promise<ControlSubject> {
  const tenant = await createTenant(adapter, { frozen_at: '2026-03-01T10:00:00Z' })
  const lead_id = await tenant.distributedLead()
  await tenant.pixel(lead_id, 'approved')
  const { callback_id } = (await tenant.control('GET', `/callbacks/wait?lead_id=${lead_id}`)).json
  const fault = { match: { operation: 'callback' }, effect: { drop: true } }
  const { fault_id } = (await tenant.control('POST', '/faults', { body: fault })).json
  const { token_id } = (await tenant.control('POST', '/tokens', { body: { role: 'write' } })).json
  await tenant.control('POST', '/hosts', { body: { host: 'allowed.example' } })
  await tenant.control('POST', '/snapshots', { body: { name: 'then' } })
  const own: Readonly<Record<string, string>> = {
    tenant: tenant.account.tenant,
    lead_id,
    callback_id,
    fault_id,
    name: 'then',
    token_id,
    host: 'allowed.example',
    request_id: 'r1',
    listener_id: 'l1',
    delivery_id: 'd1',
  }
  return {
    tenant,
    path: (name, ids = {}) =>
      `/_sandbox/v1${controlOperations[name].path.replace(/:(\w+)/g, (_, param: string) => ids[param] ?? own[param] ?? '')}`,
    state: () => Promise.all(shown.map(async path => (await tenant.control('GET', path)).json)),
  }
}

/** An operation's body: the media type to send, and the field that a refusal of an empty body names. */
export const declaredBody = (name: ControlOperationName) =>
  'lines' in controlOperations[name]
    ? { headers: { 'content-type': 'application/x-ndjson' }, field: 'line 1' }
    : { headers: { 'content-type': 'application/json' }, field: 'body' }

/** A valid body or query for each operation with an input. */
export const takenInputs: Readonly<Partial<Record<ControlOperationName, Readonly<Record<string, unknown>>>>> = {
  createTenant: { seed: 1 },
  listTenants: { limit: 1 },
  changeTenant: { settings: { gender: 'required' } },
  previewChange: { settings: { gender: 'required' } },
  listLeads: { limit: 1 },
  explainLead: {},
  reproduceSubmission: {},
  triggerEvent: { event: 'completed' },
  listCallbacks: { limit: 1 },
  waitForCallback: { lead_id: '50000000-0000-4000-8000-00000000ffff', timeout_ms: 0 },
  recoverCallbacks: { since: 'PT1H' },
  sendCallback: { lead_id: '50000000-0000-4000-8000-00000000ffff', event: 'approved' },
  startListener: { forward_to: 'http://127.0.0.1:3000/' },
  reportForwarded: { status: 200 },
  showInbox: { limit: 1 },
  changeInbox: { status: 500 },
  changeClock: { freeze: true },
  advanceClock: { by: 'PT1H' },
  addFault: { match: { operation: 'callback' }, effect: { drop: true } },
  listRequests: { limit: 1 },
  createToken: { role: 'read' },
  allowHost: { host: 'qa.example' },
  saveSnapshot: { name: 'now' },
  showActivity: { period: 'day' },
  showCoverageOfAll: { prefix: 'no-tenant' },
  diagnosePostback: { url: 'http://127.0.0.1/' },
}

/** A request that an operation accepts from an authorized caller. */
export function callOf({ path }: Pick<ControlSubject, 'path'>, name: ControlOperationName) {
  const operation = controlOperations[name]
  const input = takenInputs[name]
  const query = operation.in === 'query' ? `?${new URLSearchParams(input as never)}` : ''
  return { method: operation.methods[0], target: path(name) + query, ...(operation.in === 'body' && { body: input }) }
}
