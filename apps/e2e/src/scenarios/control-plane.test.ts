import { type ControlOperationName, controlOperations } from '@lead-distribution/simulator'
import { expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { createTenant, tenantsPath } from '../adapters/tenant.ts'

const unknownId = '50000000-0000-4000-8000-00000000ffff'

inMemory('the control plane', adapter => {
  it('makes an account with all that an integrator needs [5/issued_by] [9/rule-3]', async () => {
    const { account } = await createTenant(adapter)
    expect(account).toEqual({
      tenant: expect.stringMatching(/^[a-z0-9-]+$/),
      base_url: `${adapter.url}/api/v1`,
      publisher: {
        publisher_id: expect.any(String),
        api_key: expect.stringMatching(/^sandbox_pub_/),
        callback_url: expect.stringContaining('/_sandbox/inbox/'),
        callback_secret: expect.stringMatching(/^whsec_/),
      },
      advertisers: expect.any(Array),
      products: expect.any(Array),
      blacklist: [{ identification_number: expect.any(String) }],
      callbacks_held: false,
      settings: expect.objectContaining({ profile: 'prose', duplicate_window: 'PT60S' }),
    })
    expect(account.advertisers.map(advertiser => Object.keys(advertiser).sort())).toEqual(
      Array(3).fill(['advertiser_id', 'api_key', 'criteria', 'name', 'postback_secret', 'priority']),
    )
    expect(account.products.map(({ active }) => active)).toEqual([true, false])
  })

  it('shows, lists and deletes an account', async () => {
    const tenant = await createTenant(adapter)
    expect((await tenant.control('GET')).json).toEqual(tenant.account)
    const listed = async () =>
      (await adapter.request('GET', tenantsPath)).json.tenants.map((account: { tenant: string }) => account.tenant)
    expect(await listed()).toContain(tenant.account.tenant)
    expect((await tenant.control('DELETE')).status).toBe(200)
    expect(await listed()).not.toContain(tenant.account.tenant)
    for (const method of ['GET', 'DELETE']) expect((await tenant.control(method)).status).toBe(404)
    expect((await tenant.control('PATCH', '', { body: {} })).json.error).toBe('not_found')
  })

  it('takes a name of one’s own once, and again after its deletion', async () => {
    const name = `mine-${Math.random().toString(36).slice(2, 10)}`
    const tenant = await createTenant(adapter, { name })
    expect(tenant.account.tenant).toBe(name)
    const again = await adapter.request('POST', tenantsPath, { body: { name } })
    expect([again.status, again.json.error]).toEqual([409, 'tenant_exists'])
    await tenant.control('DELETE')
    expect((await createTenant(adapter, { name })).account.tenant).toBe(name)
  })

  it('shows a lead with all that belongs to it', async () => {
    const tenant = await createTenant(adapter)
    const lead = await tenant.distributedLead()
    await tenant.pixel(lead, 'loan_issued', '&ref=r-1')
    const callbacks = await tenant.settledCallbacks(lead)
    const view = await tenant.lead(lead.toUpperCase())
    expect(view).toEqual({
      lead_id: lead,
      product_id: tenant.product().product_id,
      status: 'distributed',
      email: expect.stringMatching(/@example\.com$/),
      loan_amount: 5000,
      loan_term_months: 24,
      advertisers: [{ advertiser_id: tenant.advertiser().advertiser_id, name: 'Crédito Alba' }],
      redirect_url: expect.any(String),
      received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      submission: expect.objectContaining({ product_id: tenant.product().product_id }),
      trace: expect.any(Array),
      deliveries: [
        {
          advertiser_id: tenant.advertiser().advertiser_id,
          name: 'Crédito Alba',
          decision: 'accepted',
          reasons: [],
          redirect_url: expect.any(String),
          postback_url: expect.stringMatching(/\?token=[0-9a-f]{64}$/),
        },
      ],
      events: [
        {
          event: 'approved',
          reported_as: 'loan_issued',
          via: 'pixel',
          advertiser_id: tenant.advertiser().advertiser_id,
          ref: 'r-1',
          recorded_at: expect.any(String),
        },
      ],
      callbacks,
    })
    expect((await tenant.control('GET', `/leads/${unknownId}`)).status).toBe(404)
  })

  it('shows of a rejected lead which check refused it, with input and threshold', async () => {
    const tenant = await createTenant(adapter)
    const { json } = await tenant.submit({ 'customer.profile': { occupation: 'other', monthly_income: 599 } })
    const { trace } = await tenant.lead(json.lead_id)
    const at = trace.findIndex(({ check }: { check: string }) => check === 'income')
    expect(trace[at]).toEqual({
      check: 'income',
      verdict: 'rejected',
      input: 599,
      threshold: 600,
      hint: expect.any(String),
    })
    expect(trace.slice(0, at).every(({ verdict }: { verdict: string }) => verdict === 'passed')).toBe(true)
    expect(trace.slice(at + 1).length).toBeGreaterThanOrEqual(4)
    expect(trace.slice(at + 1).every(({ verdict }: { verdict: string }) => verdict === 'skipped')).toBe(true)
  })

  it('takes no body at all for an empty object', async () => {
    const made = await adapter.request('POST', tenantsPath)
    expect(made.status).toBe(201)
    const tenant = await createTenant(adapter)
    const advance = await tenant.control('POST', '/clock/advance')
    expect([advance.status, advance.json.details]).toEqual([400, [{ field: 'by', issue: 'is required' }]])
  })

  it('takes a callback_url on this machine, and null for the inbox', async () => {
    const tenant = await createTenant(adapter, { callback_url: 'http://localhost:3000/cb?a=1' })
    expect(tenant.account.publisher.callback_url).toBe('http://localhost:3000/cb?a=1')
    await tenant.change({ callback_url: null })
    expect(tenant.account.publisher.callback_url).toContain('/_sandbox/inbox/')
  })
})

type Step = readonly [operation: ControlOperationName, body?: object | undefined, path?: string]

inMemory('what the control plane answers', adapter => {
  it('has the shape that its document states, operation by operation', async () => {
    const tenant = await createTenant(adapter)
    const name = tenant.account.tenant
    await tenant.submit({ 'customer.profile': { occupation: 'other', monthly_income: 599 } })
    const lead = await tenant.distributedLead()
    await tenant.pixel(lead, 'loan_issued', '&ref=r-1')
    const [callback] = await tenant.settledCallbacks(lead)
    const fault = { match: { operation: 'callback' }, effect: { delay: 'PT1S' }, times: 0 }
    const { json: set } = await tenant.control('POST', '/faults', { body: fault })
    const postback = `${adapter.url}${await tenant.postback(lead)}&event=approved`
    await tenant.client.snapshots.save('file')
    const file = await tenant.client.snapshots.export('file')

    const steps: Step[] = [
      ['createTenant', { frozen_at: '2026-01-01T00:00:00Z' }],
      ...([['listTenants'], ['showTenant']] as const),
      ['changeTenant', { settings: { gender: 'required' } }],
      ['changeTenant', { settings: { gender: 'optional' } }],
      ['listLeads'],
      ['showLead'],
      ['explainLead', tenant.body()],
      ['reproduceLead'],
      ['reproduceSubmission', tenant.body()],
      ['triggerEvent', { event: 'approved', via: 'pixel', repeat: 2 }],
      ['listCallbacks'],
      ['waitForCallback', undefined, `/callbacks/wait?lead_id=${lead}&timeout_ms=5000`],
      ['showCallback'],
      ['resendCallback'],
      ['recoverCallbacks', { since: 'PT1H' }],
      ['showInbox'],
      ['changeInbox', { status: 503, times: 1 }],
      ['showClock'],
      ['showAgenda'],
      ['changeClock', { freeze: true }],
      ['advanceClock', { by: 'PT24H' }],
      ['addFault', { match: { operation: 'submitLead' }, effect: { status: 503 }, probability: 0 }],
      ['listFaults'],
      ['removeFault'],
      ['clearFaults'],
      ['listRequests'],
      ['showRequest'],
      ['showActivity'],
      ['saveSnapshot', { name: 'kept' }],
      ['exportSnapshot'],
      ['importSnapshot', file],
      ['listSnapshots'],
      ['restoreSnapshot'],
      ['deleteSnapshot'],
      ['showCoverage'],
      ['showCoverageOfAll'],
      ['diagnosePostback', { url: postback }],
      ['createToken', { role: 'write', name: 'ci' }],
      ['listTokens'],
      ['revokeToken'],
      ['allowHost', { host: 'qa.example' }],
      ['listHosts'],
      ['removeHost'],
      ['startListener', { forward_to: 'http://127.0.0.1:3000/' }],
      ['sendCallback', { lead_id: lead, event: 'approved' }],
      ['takeCallbacks'],
      ['reportForwarded', { status: 200 }],
      ['endListener'],
      ['resetTenant'],
      ['deleteTenant', undefined, '?undo=true'],
      ['undeleteTenant'],
    ]
    const { exportRaw: _ofBrokenTenants, ...others } = controlOperations
    const replying = Object.entries(others).filter(([, operation]) => !('streams' in operation))
    expect(new Set(steps.map(([operation]) => operation))).toEqual(new Set(replying.map(([name]) => name)))
    const { token_id } = (await tenant.control('POST', '/tokens', { body: { role: 'read' } })).json
    const own = { token_id, host: 'qa.example', name: 'kept', request_id: 'r1', listener_id: '', delivery_id: '' }
    const ids = {
      tenant: name,
      deleted: name,
      lead_id: lead,
      callback_id: callback.callback_id,
      fault_id: set.fault_id,
      ...own,
    }
    for (const [operation, body, path] of steps) {
      const { methods, path: pattern, reply, ...row } = controlOperations[operation]
      const named = pattern.replace(/:(\w+)/g, (_, id: keyof typeof ids) => ids[id])
      const target = path ? `${tenantsPath}/${name}${path}` : `/_sandbox/v1${named}`
      const { status, json } = await adapter.request(methods[0], target, body ? { body } : {})
      expect([operation, status, json.details]).toEqual([operation, 'status' in row ? row.status : 200, undefined])
      expect([operation, reply.safeParse(json).error?.issues]).toEqual([operation, undefined])
      if (operation === 'startListener') ids.listener_id = json.listener_id
      if (operation === 'takeCallbacks') ids.delivery_id = json.deliveries[0].delivery_id
    }
  })
})
