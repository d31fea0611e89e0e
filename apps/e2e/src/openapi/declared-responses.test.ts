import {
  createTestLeads,
  requestsOf,
  scenarios,
  scenarioWords,
  testLeadCatalog,
} from '@lead-distribution/contract/test-leads'
import { createMemoryStorage, type SandboxStorage, StorageUnavailable } from '@lead-distribution/simulator'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { openMemoryAdapter } from '../adapters/memory-adapter.ts'
import { openReceiver } from '../adapters/receiver.ts'
import { createTenant, metadata, type Tenant, tenantsPath } from '../adapters/tenant.ts'
import { createControlSubject } from '../scenarios/control-subject.fixture.ts'
import {
  callEveryOperation,
  causeEveryConflict,
  readEvents,
  tryEveryMethod,
  unknownId,
} from './control-traffic.fixture.ts'
import { type DeclaredResponses, readDocuments, receiverPath, recorded } from './declared-responses.fixture.ts'

/** Each interpretation of an open point that changes a response, several per tenant. */
const interpretations: readonly object[] = [
  {},
  { profile: 'formal' },
  { settings: { semantic_refusals: 'rejected_200', absent_fields: 'null', status_methods: ['POST'] } },
  {
    settings: {
      status_methods: ['PATCH'],
      status_vocabulary: 'any',
      distribution: 'all_accepting',
      token_format: { hash: 'SHA-512', joiner: '.', encoding: 'base64url' },
    },
  },
]

/** Fields that make a lead valid under both profiles. */
const complete = { 'customer.personal_data.gender': 'female', 'consents.metadata': metadata }

/** Submits each test lead, each scenario in both forms, and each error. */
async function submitAll(tenant: Tenant): Promise<void> {
  const leads = createTestLeads(tenant.account)
  for (const { name } of testLeadCatalog)
    for (const { headers, body } of requestsOf(leads[name]())) await tenant.submitBody(body, { ...headers })
  for (const word of scenarioWords) {
    // Their response never arrives.
    if (['timeout', 'lost_reply'].some(name => name in (scenarios[word].effect ?? {}))) continue
    await tenant.submit(complete, `${word}+declared@sandbox.test`)
    await tenant.submitBody(tenant.body(complete), { 'x-sandbox-scenario': word })
  }
  await tenant.submitBody(tenant.body(complete), { 'x-sandbox-scenario': 'nonsense' })
  await tenant.submitBody(tenant.body(complete), { apikey: tenant.advertiserKey() })
  await tenant.submitBody({})
}

/** Reports on a lead in every way: by body and by pixel, valid and invalid. */
async function reportAll(tenant: Tenant): Promise<void> {
  const lead = await tenant.distributedLead(complete)
  for (const method of ['POST', 'PATCH']) {
    const report = (body: unknown, id = lead, key = tenant.advertiserKey()) => tenant.report(id, body, { key, method })
    await report({ status: 'converted', metadata: { amount: 5000.5, term_months: 24 } })
    await report({ status: 'a word of our own' })
    await report({ status: '' })
    await report({ status: 'converted' }, unknownId)
    await report({ status: 'converted' }, lead, tenant.publisherKey)
    await report(JSON.stringify({ status: 'x'.repeat(262_144) }))
    for (const type of ['application/json', 'application/x-www-form-urlencoded'])
      await tenant.adapter.request(method, `/api/v1/lead/${lead}/status`, {
        body: 'status=converted',
        headers: { apikey: tenant.advertiserKey(), 'content-type': type },
      })
    const long = { body: { status: 'x'.repeat(262_144) }, headers: { apikey: tenant.advertiserKey() } }
    await tenant.adapter.request(method, `/api/v1/lead/${lead}/status`, long)
  }
  for (const event of ['approved', 'approved', 'loan_paid', 'converted', '']) await tenant.pixel(lead, event)
  await tenant.adapter.request('GET', `/api/v1/lead/${lead}/status?token=wrong&event=approved`)
}

/** Injects each of these statuses into each service operation. */
async function injectAll(tenant: Tenant, statuses: readonly number[]): Promise<void> {
  const lead = await tenant.distributedLead(complete)
  const calls = [
    ['submitLead', () => tenant.submit(complete)],
    ['reportStatus', () => tenant.report(lead, { status: 'converted' })],
    ['reportStatus', () => tenant.report(lead, { status: 'converted' }, { method: 'PATCH' })],
    ['reportEvent', () => tenant.pixel(lead, 'approved')],
  ] as const
  for (const [operation, call] of calls) {
    const inject = (effect: object) =>
      tenant.control('POST', '/faults', { body: { match: { operation }, effect, times: 1 } })
    for (const status of statuses)
      for (const effect of [{ status }, { status, retry_after: 1 }]) {
        await inject(effect)
        expect((await call()).status).toBe(status)
      }
    await inject({ latency_ms: 1 })
    expect((await call()).status).toBe(200)
  }
}

/** A storage that fails all reads and writes once it is full. */
function fillingStorage() {
  const storage = createMemoryStorage()
  let full = false
  const refused = <Work extends (...given: never[]) => unknown>(work: Work) =>
    (async (...given: never[]) => {
      if (full) throw new StorageUnavailable('The disk is full: this is a test.')
      return work(...given)
    }) as unknown as Work
  const filling: SandboxStorage = {
    ...storage,
    of: tenant => ({
      transact: refused(storage.of(tenant).transact) as never,
      read: refused(storage.of(tenant).read) as never,
    }),
    addTenant: refused(storage.addTenant),
    replaceTenant: refused(storage.replaceTenant),
    clearTenant: refused(storage.clearTenant),
    deleteTenant: refused(storage.deleteTenant),
    listSnapshots: refused(storage.listSnapshots),
    health: async () => (full ? { problem: 'The disk is full: this is a test.' } : 'ok'),
  }
  const fill = () => {
    full = true
  }
  return { storage: filling, fill }
}

/** The declared responses that no test here causes, with reasons. */
const notCaused: readonly (readonly [responses: RegExp, why: string])[] = [
  [/ 500$/, 'no known request makes the control plane fail'],
  [/ 503$/, 'an operation without storage responds with it only while the sandbox is overloaded or closing'],
  [/^exportSnapshot 409$/, 'it takes a file of 8 MB'],
  [/^addFault 409$/, 'it takes a thousand of them: see control/faults.test.ts'],
  [
    /^(waitForCallback|takeCallbacks|streamEvents|streamAllEvents) 429$/,
    'it takes a hundred of them: see waiting-requests.test.ts',
  ],
  [/^exportRaw (200|409)$/, 'it takes a tenant that cannot be opened: see broken-tenants.test.ts'],
  [/^show(Health|Liveness|Readiness|Metrics) 405$/, 'it is the response to undeclared methods'],
  [/^receiveLeadEvent default$/, 'the receiver accepts every callback'],
]

describe('the OpenAPI documents of a sandbox', () => {
  let local: Adapter
  let documents: DeclaredResponses
  beforeAll(async () => {
    local = await openExpressAdapter()
    documents = await readDocuments(local)
  })
  afterAll(() => local.close())

  it('declare every response of the service under each interpretation of the open points', async () => {
    const { adapter, differences } = recorded(local, documents)
    for (const creation of interpretations) {
      const tenant = await createTenant(adapter, creation)
      await tenant.change({ blacklist: [{ email: 'blacklisted@example.com' }] })
      await submitAll(tenant)
      await reportAll(tenant)
    }
    expect(differences()).toEqual([])
  })

  it('declare every status that a fault can inject', async () => {
    const { adapter, differences } = recorded(local, documents)
    const tenant = await createTenant(adapter)
    await injectAll(tenant, [400, 401, 418, 429, 503, 599])
    expect(differences()).toEqual([])
  })

  it('declare every response of the control plane on this machine', async () => {
    const { adapter, differences } = recorded(local, documents)
    const subject = await createControlSubject(adapter)
    await callEveryOperation(subject, adapter)
    await causeEveryConflict(await createTenant(local), adapter)
    await adapter.request('GET', '/_sandbox/metrics', { headers: { host: 'evil.example' } })
    expect(differences()).toEqual([])
  })

  it('declare every response of the control plane with tokens', async () => {
    const adminToken = 'a-token-of-this-test'
    const open = await openExpressAdapter({ adminToken })
    onTestFinished(() => open.close())
    const { adapter, differences } = recorded(open, documents)
    const as = (token: string): Adapter => ({
      ...adapter,
      request: (method, target, { headers, ...options } = {}) =>
        adapter.request(method, target, { ...options, headers: { authorization: `Bearer ${token}`, ...headers } }),
    })
    const { tenant } = await createControlSubject(as(adminToken))
    const { token } = (await tenant.control('POST', '/tokens', { body: { role: 'read' } })).json
    for (const each of ['wrong', token, adminToken]) {
      const subject = await createControlSubject(as(adminToken))
      await callEveryOperation(subject, as(each))
      await as(each).request('GET', '/_sandbox/metrics')
    }
    expect(differences()).toEqual([])
  })

  it('declare the events of streams', async () => {
    for (const ofAll of [false, true]) {
      const tenant = await createTenant(local)
      const target = ofAll ? '/_sandbox/v1/events' : `${tenantsPath}/${tenant.account.tenant}/events`
      const exchanges = await readEvents(tenant, target)
      expect(exchanges.flatMap(exchange => documents.differences(exchange))).toEqual([])
    }
  })

  it('declare the response to an unsupported method', async () => {
    const { adapter, differences } = recorded(local, documents)
    await tryEveryMethod(await createControlSubject(adapter))
    expect(differences()).toEqual([])
  })

  it('declare the responses of a sandbox that cannot store anything', async () => {
    const { storage, fill } = fillingStorage()
    const memory = await openMemoryAdapter({ storage, onError: () => undefined })
    onTestFinished(() => memory.close())
    const { adapter, differences } = recorded(memory, documents)
    const subject = await createControlSubject(adapter)
    const { tenant } = subject
    const lead = await tenant.distributedLead(complete)
    const postback = await tenant.postback(lead)
    fill()
    await tenant.submit(complete)
    await tenant.report(lead, { status: 'converted' })
    await adapter.request('GET', `${postback}&event=approved`)
    for (const path of ['/health', '/health/ready']) await adapter.request('GET', `/_sandbox${path}`)
    await callEveryOperation(subject, adapter)
    expect(differences()).toEqual([])
    for (const operation of ['submitLead', 'reportStatus', 'reportEvent', 'createTenant', 'listLeads', 'showHealth'])
      expect(documents.seen).toContain(`${operation} 503`)
  })

  it("declare the publisher's callback as it is sent", async () => {
    await using receiver = await openReceiver()
    const callback_url = `${receiver.url}${receiverPath}`
    const settings = { status_vocabulary: 'any', callback_event_names: 'as_reported' }
    for (const callback_signature of ['none', 'standard_webhooks']) {
      const tenant = await createTenant(local, { callback_url, settings: { ...settings, callback_signature } })
      const lead = await tenant.distributedLead()
      for (const status of ['converted', 'loan_issued', 'a word of our own']) await tenant.report(lead, { status })
      await tenant.pixel(lead, 'completed')
      await tenant.settledCallbacks(lead)
    }
    expect(receiver.received).toHaveLength(8)
    const response = { status: 200, headers: {}, text: '', json: undefined }
    const differences = receiver.received.flatMap(({ method, target, headers }) =>
      documents.differences({ method, target, headers: headers as Record<string, string>, response }),
    )
    expect(differences).toEqual([])
    expect(documents.seen).toContain('receiveLeadEvent 2XX')
  })

  it('declare only responses that occur', () => {
    const unseen = documents.declared().filter(response => !documents.seen.has(response))
    expect(unseen.filter(response => !notCaused.some(([pattern]) => pattern.test(response)))).toEqual([])
  })

  it('are compared strictly: a truncated body is a difference', async () => {
    const tenant = await createTenant(local)
    const fault = { match: { operation: 'submitLead' }, effect: { malformed: true } }
    await tenant.control('POST', '/faults', { body: fault })
    const exchange = { method: 'POST', target: '/api/v1/lead', headers: {}, response: await tenant.submit() }
    expect(documents.differences(exchange)).toContainEqual(expect.stringContaining('submitLead: the body of 200'))
  })
})
