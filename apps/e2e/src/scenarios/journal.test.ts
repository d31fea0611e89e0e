import { describe, expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'
import { eachRow } from '../each-row.ts'

const unknownLead = '50000000-0000-4000-8000-00000000ffff'

/** Returns a tenant's journal, newest first, without values that differ from run to run. */
async function journalOf(tenant: Tenant) {
  const { requests } = (await tenant.control('GET', '/requests?limit=500')).json
  // biome-ignore lint/suspicious/noExplicitAny: scenarios assert on its content.
  return requests.map(({ request_id, at, ms, ...request }: any) => {
    expect([request_id, at, ms]).toEqual([
      expect.stringMatching(/^r[1-9]\d*$/),
      expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      expect.any(Number),
    ])
    return request
  })
}

/** Returns the only journal entry of a tenant with one request. */
async function onlyEntry(tenant: Tenant) {
  const entries = await journalOf(tenant)
  expect(entries).toHaveLength(1)
  return entries[0]
}

const submitted = { operation: 'submitLead', method: 'POST', path: '/api/v1/lead' }

inMemory('the journal', adapter => {
  describe('of submissions', () => {
    it('records a distributed lead, with its id', async () => {
      const tenant = await createTenant(adapter)
      const lead_id = await tenant.distributedLead()
      expect(await onlyEntry(tenant)).toEqual({
        ...submitted,
        status: 200,
        lead_id,
        outcome: 'distributed',
        warnings: expect.any(Array),
      })
    })

    it('names the invalid fields, with their issues', async () => {
      const tenant = await createTenant(adapter)
      const { json } = await tenant.submit({ 'product_data.loan_amount': 499, product_id: 'x' })
      expect(await onlyEntry(tenant)).toMatchObject({
        status: 400,
        outcome: 'validation_error',
        check: 'shape',
        issues: json.details,
      })
    })

    it('attributes an unknown key to no tenant', async () => {
      const tenant = await createTenant(adapter)
      await tenant.submitBody(tenant.body(), { apikey: `${tenant.publisherKey}0` })
      await tenant.submitBody(tenant.body(), { apikey: '' })
      await adapter.request('GET', `/api/v1/lead/${unknownLead}/status?token=x&event=approved`)
      expect(await journalOf(tenant)).toEqual([])
    })
  })

  describe('of reports', () => {
    it('records pixels: received, repeated, invalid, and with a wrong token', async () => {
      const tenant = await createTenant(adapter)
      const lead_id = await tenant.distributedLead()
      await tenant.pixel(lead_id, 'loan_issued')
      await tenant.pixel(lead_id, 'approved')
      await tenant.pixel(lead_id, 'nonsense')
      await adapter.request('GET', `/api/v1/lead/${lead_id.toUpperCase()}/status?token=0&event=approved`)
      const [denied, wrong, repeat, first] = await journalOf(tenant)
      const pixel = { operation: 'reportEvent', method: 'GET', lead_id, warnings: [] }
      const path = `/api/v1/lead/${lead_id}/status`
      expect(first).toEqual({ ...pixel, path, status: 200, outcome: 'received', event: 'approved' })
      expect(repeat).toEqual({ ...pixel, path, status: 200, outcome: 'ignored', event: 'approved' })
      expect(wrong).toEqual({
        ...pixel,
        path,
        status: 400,
        outcome: 'validation_error',
        issues: [{ field: 'event', issue: expect.any(String) }],
      })
      expect(denied).toEqual({ ...pixel, path, status: 401, outcome: 'unauthorized' })
    })

    it('records reports by body: received, ignored, invalid, for an unknown lead, and with an unsupported method', async () => {
      const tenant = await createTenant(adapter, { settings: { status_methods: ['POST'] } })
      const lead = await tenant.distributedLead()
      await tenant.report(lead, { status: 'converted' })
      await tenant.report(lead, { status: 'converted' })
      await tenant.report(lead, {})
      await tenant.report(unknownLead, { status: 'converted' })
      await tenant.report('x', { status: 'converted' })
      await tenant.report(lead, { status: 'converted' }, { method: 'PATCH' })
      const entries = (await journalOf(tenant)).slice(0, 6).reverse()
      expect(entries.map(({ status, outcome, event }: never) => [status, outcome, event])).toEqual([
        [200, 'received', 'converted'],
        [200, 'ignored', 'converted'],
        [400, 'validation_error', undefined],
        [404, 'not_found', undefined],
        [400, 'validation_error', undefined],
        [405, 'method_not_allowed', undefined],
      ])
      expect(entries.map(({ method }: never) => method)).toEqual([...Array(5).fill('POST'), 'PATCH'])
      expect(entries[4]).toMatchObject({ path: '/api/v1/lead/:lead_id/status', issues: [{ field: 'lead_id' }] })
      expect(entries[4]).not.toHaveProperty('lead_id')
    })
  })

  it('names the fault that acted on a request, and its effect on the response', async () => {
    const tenant = await createTenant(adapter)
    const effects = [{ status: 503 }, { malformed: true }, { lost_reply: true }, { reset: true }, { latency_ms: 1 }]
    for (const effect of effects) {
      const fault = { match: { operation: 'submitLead' }, effect, times: 1 }
      expect((await tenant.control('POST', '/faults', { body: fault })).status).toBe(201)
      await tenant.submit().catch(() => undefined)
    }
    const entries = (await journalOf(tenant)).reverse()
    expect(entries.map(({ status, outcome, fault_id, broken }: never) => [status, outcome, fault_id, broken])).toEqual([
      [503, 'service_unavailable', 'f1', undefined],
      [200, 'distributed', 'f2', 'garbled'],
      [0, 'distributed', 'f3', 'cut'],
      [0, 'bad_gateway', 'f4', 'cut'],
      [200, 'distributed', 'f5', undefined],
    ])
  })

  it('warns about a status of the other vocabulary only if it would change the response', async () => {
    const other = '00000000-0000-4000-8000-000000000000'
    for (const [status_vocabulary, would] of [
      ['known', 'accept the status'],
      ['any', 'respond 400 validation_error'],
    ] as const) {
      const tenant = await createTenant(adapter, { settings: { status_vocabulary } })
      const lead = await tenant.distributedLead()
      const own = tenant.advertiser().advertiser_id
      await eachRow(
        [
          [lead, {}, [would]],
          [lead, { advertiser_id: own }, [would]],
          ['x', {}, []],
          [lead, { advertiser_id: other }, []],
          [lead, { advertiser_id: 'x' }, []],
          ['x', { advertiser_id: other }, []],
          [lead, { metadata: 1 }, []],
        ],
        async (lead_id, more, expected) => {
          const { status } = await tenant.report(lead_id, { status: 'funded', ...more })
          const { warnings } = (await journalOf(tenant))[0]
          const warned = warnings.filter((warning: { switch: string }) => warning.switch === 'status_vocabulary')
          expect(warned.map((warning: { would: string }) => warning.would)).toEqual(expected)
          if (expected.length === 0) expect(status).toBe(400)
        },
      )
    }
  })
})
