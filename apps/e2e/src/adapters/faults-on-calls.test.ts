import { describe, expect, it } from 'vitest'
import { eachRow } from '../each-row.ts'
import { onEveryAdapter } from './every-adapter.ts'
import { createTenant, type Tenant } from './tenant.ts'

/** Every operation of the service: how to call it, and how to tell that it took effect. */
const calls = {
  submitLead: {
    call: (tenant: Tenant) => tenant.submit(),
    done: async (tenant: Tenant) => (await tenant.control('GET', '/leads')).json.leads.length - 1,
  },
  reportStatus: {
    call: (tenant: Tenant, lead: string) => tenant.report(lead, { status: 'converted' }),
    done: async (tenant: Tenant, lead: string) => (await tenant.lead(lead)).events.length,
  },
  reportEvent: {
    call: (tenant: Tenant, lead: string) => tenant.pixel(lead, 'approved'),
    done: async (tenant: Tenant, lead: string) => (await tenant.lead(lead)).events.length,
  },
}

const add = async (tenant: Tenant, body: object) => {
  const { status, json } = await tenant.control('POST', '/faults', { body })
  expect([status, json.details]).toEqual([201, undefined])
  return json.fault_id as string
}
const counts = async (tenant: Tenant) =>
  (await tenant.control('GET', '/faults')).json.faults.map(({ matched, acted }: Record<string, number>) => [
    matched,
    acted,
  ])
const journal = async (tenant: Tenant) => (await tenant.control('GET', '/requests')).json.requests

onEveryAdapter('faults', adapter => {
  describe.each(Object.entries(calls))('on %s', (operation, { call, done }) => {
    const ready = async (effect: object, limits: object = {}) => {
      const tenant = await createTenant(adapter)
      const lead = await tenant.distributedLead()
      const fault = await add(tenant, { match: { operation }, effect, ...limits })
      return { tenant, lead, fault, call: () => call(tenant, lead), done: () => done(tenant, lead) }
    }

    it('respond with the requested status and do nothing', () =>
      eachRow([400, 401, 403, 404, 422, 429, 500, 503, 599], async status => {
        const { call, done } = await ready({ status })
        const reply = await call()
        expect([reply.status, reply.json.error, reply.json.message]).toEqual([
          status,
          expect.stringMatching(/^[a-z_0-9]+$/),
          expect.stringContaining('was injected'),
        ])
        expect([reply.headers['retry-after'], await done()]).toEqual([undefined, 0])
      }))

    it('wait, then behave as usual', async () => {
      const { call, done, tenant, fault } = await ready({ latency_ms: 20 })
      expect((await call()).status).toBe(200)
      expect(await done()).toBe(1)
      const [entry] = await journal(tenant)
      expect(entry).toMatchObject({ operation, fault_id: fault })
      // A timer may fire a millisecond early.
      expect(entry.ms).toBeGreaterThanOrEqual(19)
    })

    it('cut the connection before the operation runs', async () => {
      const { call, done, tenant, fault } = await ready({ reset: true })
      await expect(call()).rejects.toThrow()
      expect(await done()).toBe(0)
      expect((await journal(tenant))[0]).toMatchObject({ status: 0, broken: 'cut', fault_id: fault })
    })

    it('cut the connection after the operation ran, so that a retry is a repeat', async () => {
      const { call, done, tenant, fault } = await ready({ lost_reply: true }, { times: 1 })
      await expect(call()).rejects.toThrow()
      expect(await done()).toBe(1)
      expect((await journal(tenant))[0]).toMatchObject({ status: 0, broken: 'cut', fault_id: fault })
      expect((await call()).status).toBe(200)
    })

    it('run the operation and respond with malformed JSON', async () => {
      const { call, done } = await ready({ malformed: true })
      const { status, text, json } = await call()
      expect([status, json, text.length > 0]).toEqual([200, undefined, true])
      expect(() => JSON.parse(text)).toThrow(SyntaxError)
      expect(await done()).toBe(1)
    })
  })

  it('never respond, and do nothing', async () => {
    const tenant = await createTenant(adapter)
    await add(tenant, { match: { operation: 'submitLead' }, effect: { timeout: true }, times: 1 })
    const giveUp = new AbortController()
    const reply = adapter.request('POST', '/api/v1/lead', {
      body: tenant.body(),
      headers: { apikey: tenant.publisherKey },
      signal: giveUp.signal,
    })
    const ended = expect(reply).rejects.toThrow()
    await expect.poll(() => journal(tenant)).toMatchObject([{ status: 0, broken: 'withheld' }])
    giveUp.abort(new Error('given up'))
    await ended
    expect((await tenant.control('GET', '/leads')).json.leads).toEqual([])
    expect((await tenant.submit()).json.status).toBe('distributed')
  })

  it('do not affect the control plane, pages, or other tenants', async () => {
    const [tenant, other] = [await createTenant(adapter), await createTenant(adapter)]
    const lead = await tenant.distributedLead()
    for (const operation of Object.keys(calls)) await add(tenant, { match: { operation }, effect: { reset: true } })
    for (const path of ['', '/clock', '/faults', '/leads', `/leads/${lead}`, '/callbacks', '/inbox', '/requests'])
      expect((await tenant.control('GET', path)).status).toBe(200)
    const { redirect_url } = await tenant.lead(lead)
    expect((await adapter.request('GET', new URL(redirect_url).pathname)).status).toBe(200)
    expect((await adapter.request('GET', '/_sandbox/health')).status).toBe(200)
    expect((await tenant.control('POST', '/leads/explain', { body: tenant.body() })).status).toBe(200)
    expect((await other.submit()).status).toBe(200)
    expect(await counts(other)).toEqual([])
  })

  it('do not apply to a refused key, and are not counted for it', async () => {
    const tenant = await createTenant(adapter)
    const lead = await tenant.distributedLead()
    for (const operation of Object.keys(calls)) await add(tenant, { match: { operation }, effect: { status: 503 } })
    const wrong = { apikey: tenant.advertiserKey() }
    expect((await tenant.submitBody(tenant.body(), { apikey: 'sandbox_pub_none_none' })).status).toBe(401)
    expect((await tenant.submitBody(tenant.body(), wrong)).status).toBe(401)
    expect((await tenant.report(lead, { status: 'converted' }, { key: tenant.publisherKey })).status).toBe(401)
    expect(await counts(tenant)).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
    ])
  })
})
