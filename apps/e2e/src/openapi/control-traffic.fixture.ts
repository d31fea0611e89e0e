import { type ControlOperationName, controlOperations, maxControlBodyBytes } from '@lead-distribution/simulator'
import { operatorPaths } from '@lead-distribution/simulator/urls'
import { expect } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { Tenant, tenantsPath } from '../adapters/tenant.ts'
import { type ControlSubject, callOf } from '../scenarios/control-subject.fixture.ts'
import type { Exchange } from './declared-responses.fixture.ts'

const names = Object.keys(controlOperations) as ControlOperationName[]
const json = { 'content-type': 'application/json' }
const lines = { 'content-type': 'application/x-ndjson' }

/** An id that does not exist. */
export const unknownId = '50000000-0000-4000-8000-00000000ffff'

/** Ids for path parameters, none of which exist in a tenant. */
const unknownIds = {
  lead_id: unknownId,
  callback_id: unknownId,
  fault_id: 'f999',
  token_id: 'nobody',
  host: 'nobody.example',
  request_id: 'r999999',
  listener_id: 'l999',
  delivery_id: 'd999',
  name: 'nobody',
}

/** Calls each control-plane operation, first wrongly in every possible way, then correctly. */
export async function callEveryOperation(subject: ControlSubject, { request }: Adapter): Promise<void> {
  // Operations that remove something go last.
  const order = names.toSorted((one, other) => weight(one) - weight(other))
  for (const name of order) await callWrongly(subject, name, request)
  const leadId = subject.path('showLead').split('/').at(-1)
  for (const name of order) {
    // Streams do not end on their own.
    if ('streams' in controlOperations[name]) continue
    const { method, target, body } = callOf(subject, name)
    const exported = name === 'importSnapshot' ? await request('GET', subject.path('exportSnapshot')) : undefined
    const inputs: Partial<Record<ControlOperationName, unknown>> = {
      explainLead: subject.tenant.body(),
      reproduceSubmission: subject.tenant.body({ 'customer.personal_data.gender': 'other' }),
      importSnapshot: exported?.text,
    }
    const input = inputs[name] ?? body
    const path = name === 'waitForCallback' ? `${subject.path(name)}?lead_id=${leadId}&timeout_ms=0` : target
    const headers = name === 'importSnapshot' ? lines : undefined
    await request(method, path, input === undefined ? {} : { body: input, ...(headers && { headers }) })
    // Many clients send an empty object with every POST.
    if (controlOperations[name].in === 'none' && method === 'POST') await request(method, path, { body: {} })
  }
}

/** Sends a callback through the only listener, which then ends. */
async function forwardCallback(tenant: Tenant): Promise<void> {
  const { listener } = tenant.client
  const lead_id = await tenant.distributedLead()
  const forward_to = 'http://127.0.0.1:3000/'
  const { listener_id } = await listener.start({ forwardTo: forward_to })
  const { callbacks } = await tenant.client.callbacks.send({ leadId: lead_id, event: 'approved' })
  expect(callbacks).toMatchObject([{ held: 'listener', synthetic: true }])
  const [delivery = expect.fail()] = (await listener.take(listener_id)).deliveries
  expect((await tenant.control('POST', '/listener', { body: { forward_to } })).status).toBe(409)
  await listener.report(listener_id, delivery.delivery_id, { status: 200 })
  await listener.end(listener_id)
}

/** The order of operations: deletions after reads, and the tenant itself last. */
function weight(name: ControlOperationName): number {
  if (name === 'deleteTenant') return 4
  if (name === 'resetTenant') return 3
  if (name === 'clearFaults') return 2
  return controlOperations[name].methods[0] === 'DELETE' ? 1 : 0
}

async function callWrongly(subject: ControlSubject, name: ControlOperationName, request: Adapter['request']) {
  const { in: place, methods, ...operation } = controlOperations[name]
  const [method] = methods
  const { body } = callOf(subject, name)
  const sent = body === undefined ? {} : { body }
  const path = subject.path(name)
  await request(method, `${path}?nonsense=1`, sent)
  // Also wrong where tokens replace the Host check: a stream would not end.
  await request(method, `${path}?nonsense=1`, { ...sent, headers: { host: 'evil.example' } })
  if (path.includes('/tenants/')) await request(method, subject.path(name, { tenant: 'nobody' }), sent)
  if (controlOperations[name].path.split(':').length > 2) await request(method, subject.path(name, unknownIds), sent)
  if (place !== 'body') return
  const bytes = 'maxBodyBytes' in operation ? operation.maxBodyBytes : maxControlBodyBytes
  await request(method, path, { body: { nonsense: 1 } })
  await request(method, path, { body: '{', headers: 'lines' in operation ? lines : json })
  await request(method, path, { body: 'nonsense=1', headers: { 'content-type': 'text/plain' } })
  await request(method, path, { body: `"${'x'.repeat(bytes)}"`, headers: 'lines' in operation ? lines : json })
}

/** Fills each of a tenant's lists to its limit through `adapter`, and makes the other requests that end with a conflict. */
export async function causeEveryConflict(tenant: Tenant, adapter: Adapter): Promise<void> {
  const conflicts = async (method: string, path: string, body?: object) =>
    expect((await adapter.request(method, tenantsPath + path, body ? { body } : {})).status).toBe(409)
  const own = `/${tenant.account.tenant}`
  const fill = async (path: string, body: (nth: number) => object, most: number) => {
    for (let nth = 0; nth < most; nth++)
      expect((await tenant.control('POST', path, { body: body(nth) })).status).toBeLessThan(300)
    await conflicts('POST', own + path, body(most))
  }
  await forwardCallback(new Tenant(adapter, tenant.account))
  await fill('/tokens', () => ({ role: 'read' }), 100)
  await fill('/hosts', nth => ({ host: `qa-${nth}.example` }), 100)
  await fill('/snapshots', nth => ({ name: `s${nth}` }), 100)
  const { text: body } = await tenant.control('GET', '/snapshots/s0/file')
  const imported = await adapter.request('POST', `${tenantsPath}${own}/snapshots/one-more/file`, {
    body,
    headers: lines,
  })
  expect(imported.status).toBe(409)
  const { json: lead } = await tenant.submit({}, 'new+untaken@sandbox.test')
  await conflicts('POST', `${own}/leads/${lead.lead_id}/trigger`, { event: 'approved' })
  await conflicts('POST', '', { name: tenant.account.tenant })
  await conflicts('DELETE', '/demo')
}

/** Sends a request with each method to each path in the documents. */
export async function tryEveryMethod({ tenant, path }: ControlSubject): Promise<void> {
  const ofService = ['/api/v1/lead', `/api/v1/lead/${unknownId}/status`]
  const ofControl = names.map(name => path(name, { ...unknownIds, tenant: 'nobody' }))
  const ofOperator = Object.values(operatorPaths).map(each => `/_sandbox${each}`)
  // A GET of a stream never ends.
  const streams = [path('streamAllEvents')]
  for (const target of new Set([...ofService, ...ofControl, ...ofOperator]))
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])
      if (!(streams.includes(target) && ['GET', 'HEAD'].includes(method))) await tenant.adapter.request(method, target)
}

/** Reads each event of a stream while every kind of event happens, as if each were a response. */
export async function readEvents(tenant: Tenant, target: string): Promise<Exchange[]> {
  const headers = { 'content-type': 'text/event-stream' }
  const exchanges: Exchange[] = []
  const wanted = new Set(['ready', 'lead', 'callback', 'request', 'clock', 'fault', 'tenant'])
  for await (const text of await tenant.adapter.stream(target)) {
    for (const [, data = ''] of text.matchAll(/^data: (.*)$/gm)) {
      const json = JSON.parse(data)
      exchanges.push({ method: 'GET', target, headers: {}, response: { status: 200, headers, text: data, json } })
      wanted.delete(json.type)
      if (json.type === 'ready') await makeEverythingHappen(tenant)
    }
    if (wanted.size === 0) break
  }
  return exchanges
}

async function makeEverythingHappen(tenant: Tenant): Promise<void> {
  const lead = await tenant.distributedLead()
  await tenant.submit({ 'customer.address': { country: 'PT' } })
  await tenant.pixel(lead, 'approved')
  await tenant.settledCallbacks(lead)
  const fault = { match: { operation: 'callback' }, effect: { delay: 'PT1H' }, times: 1 }
  await tenant.control('POST', '/faults', { body: fault })
  await tenant.pixel(lead, 'completed')
  await tenant.control('POST', '/clock/advance', { body: { by: 'PT2H' } })
  await tenant.change({ settings: { absent_fields: 'null' } })
}
