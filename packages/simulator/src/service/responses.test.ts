import type { SettingsChange } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { openTenantClient, type Shown } from '../control/tenant-client.fixture.ts'

/** A tenant, and a function to read a call's journal entry. */
async function tenantWith(settings: SettingsChange = {}) {
  const client = await openTenantClient({ name: 'qa', seed: '1', settings })
  const { call, account, leads, get, submit } = client
  /** A lead that every interpretation treats alike. */
  const lead = (more: object = {}): Shown => {
    const body: Shown = leads.distributed()
    body.customer.personal_data.gender = 'female'
    body.consents.metadata = { ip_address: '203.0.113.7', collected_at: '2026-01-31T09:30:00Z' }
    return { ...body, ...more }
  }
  const newest = async () => (await get('/requests?limit=1')).requests[0]
  /** The status of a call and the portability warnings of its journal entry. */
  const warned = async () => {
    const { status, warnings } = await newest()
    return [status, warnings.map((each: Shown) => `${each.switch} ${each.other_interpretation}: ${each.would}`)]
  }
  const report = async (status: string, method = 'POST') => {
    const { lead_id } = await submit(lead())
    const apikey = account.advertisers[0]?.api_key ?? ''
    await call(method, `/api/v1/lead/${lead_id}/status`, { status }, { apikey })
    return warned()
  }
  const explain = (body: object) => client.done('POST', '/leads/explain', body)
  return { ...client, lead, newest, warned, report, explain }
}

const unknownProduct = { product_id: '20000000-0000-4000-8000-00000000ffff' }

describe('a portability warning', () => {
  it('is absent if every interpretation gives the same response', async () => {
    const { submit, lead, warned } = await tenantWith()
    await submit(lead())
    expect(await warned()).toEqual([200, []])
  })

  it.each([
    ['http_422', 422, 'semantic_refusals rejected_200: respond 200 rejected, invalid_product'],
    ['rejected_200', 200, 'semantic_refusals http_422: respond 422 invalid_product'],
  ] as const)(
    'shows the other response to invalid data, under %s [open/semantic_refusals]',
    async (way, status, text) => {
      const { submit, lead, warned } = await tenantWith({ semantic_refusals: way })
      await submit(lead(unknownProduct))
      expect(await warned()).toEqual([status, [text]])
    },
  )

  it('shows which interpretation of the methods responds differently [open/status_methods]', async () => {
    const both = await tenantWith()
    expect(await both.report('approved')).toEqual([200, ['status_methods PATCH: respond 405 method_not_allowed']])
    const post = await tenantWith({ status_methods: ['POST'] })
    expect(await post.report('approved', 'PATCH')).toEqual([405, ['status_methods PATCH: accept PATCH']])
  })

  it.each([
    ['known', 400, 'status_vocabulary any: accept the status'],
    ['any', 200, 'status_vocabulary known: respond 400 validation_error'],
  ] as const)('shows the other response to a status, under %s [open/status_vocabulary]', async (way, status, text) => {
    const { report } = await tenantWith({ status_vocabulary: way, status_methods: ['POST'] })
    expect(await report('funded')).toEqual([status, expect.arrayContaining([text])])
  })
})

describe('the trace of a submission', () => {
  const checksOf = (trace: Shown[]) => trace.map(({ check, verdict }) => `${check} ${verdict}`)

  it('ends with distribution and claim if the lead was created [4.1/rule-3]', async () => {
    const { submit, lead, get } = await tenantWith()
    const { lead_id } = await submit(lead())
    expect(checksOf((await get(`/leads/${lead_id}`)).trace).slice(-2)).toEqual(['distribution passed', 'claim passed'])
  })

  it('skips every check after the shape and the publisher', async () => {
    const { submit, lead, newest } = await tenantWith()
    await submit(lead({ product_data: {} }))
    const shape = checksOf((await newest()).trace)
    expect([shape[0], new Set(shape.slice(1).map(step => step.split(' ')[1]))]).toEqual([
      'shape rejected',
      new Set(['skipped']),
    ])
    await submit(lead({ publisher_id: '10000000-0000-4000-8000-00000000ffff' }))
    const publisher = checksOf((await newest()).trace)
    expect(publisher.slice(0, 3)).toEqual(['shape passed', 'publisher rejected', 'product skipped'])
    expect(publisher).toHaveLength(shape.length)
  })

  it("names the invalid fields, but none of the customer's values", async () => {
    const { explain, submit, lead, newest } = await tenantWith()
    const wrong = lead({ product_data: { loan_amount: 'secret', loan_purpose: 'wedding', loan_term_months: 24 } })
    const explanation = await explain(wrong)
    expect(explanation.trace[0]).toMatchObject({
      check: 'shape',
      verdict: 'rejected',
      input: ['product_data.loan_amount'],
    })
    await submit(wrong)
    expect(JSON.stringify([explanation, await newest()])).not.toContain('secret')
  })
})

describe('explaining a submission', () => {
  it('gives the response of a submission without changing anything', async () => {
    const { explain, submit, lead } = await tenantWith()
    const body = lead()
    expect((await explain(body)).would).toMatchObject({ status: 200, body: { status: 'distributed' } })
    expect(await submit(body)).toMatchObject({ status: 'distributed' })
    expect((await explain(body)).would.body).toMatchObject({
      status: 'rejected',
      rejection_reason: 'customer_already_exists',
    })
  })
})
