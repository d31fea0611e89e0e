import {
  createLeadReader,
  createTokenReader,
  explainLead,
  reportStatus,
  type SettingsOverrides,
  submitLead,
} from '@lead-distribution/engine'
import { describe, expect, it } from 'vitest'
import { createDeliverySlots } from '../callbacks/delivery-slots.ts'
import { createMetrics } from '../journal/metrics.ts'
import { createUrls } from '../paths.ts'
import { egressByHand, handMadeTime, noon } from '../ports.fixture.ts'
import { createMemoryStorage } from '../storage/memory-storage.ts'
import { createEventHub } from '../stream/event-hub.ts'
import { createTenant } from '../tenants/create-tenant.ts'
import { openTenant } from '../tenants/tenant.ts'
import { newTenant } from '../tenants/tenant-account.ts'
import { refuseMethod, type ServiceResponse, statusResponse, submitResponse } from './responses.ts'

/** An open tenant, without a sandbox around it. */
async function tenantWith(settings: SettingsOverrides = {}) {
  const time = handMadeTime()
  const storage = createMemoryStorage()
  const record = await createTenant({ tenant: 'qa', seed: '1', created_at: noon, settings })
  await storage.addTenant(record)
  const tenant = await openTenant(newTenant(record), {
    storage,
    realClock: time.clock,
    steadyClock: time.clock,
    slots: createDeliverySlots(time.timer),
    timer: time.timer,
    urls: createUrls('http://127.0.0.1:1', '/api/v1'),
    readLead: createLeadReader(),
    readToken: createTokenReader(),
    outbound: () => egressByHand(),
    onExpiry: () => undefined,
    backends: () => ({ send: async () => ({ error: 'no way out' }) }),
    call: async () => undefined,
    randomSalt: '',
    journalLimit: 10,
    metrics: createMetrics({ startedAt: noon, version: '0' }),
    events: createEventHub({ timer: time.timer, clock: time.clock, show: () => ({}) }),
    onError: error => expect.fail(String(error)),
  })
  const [product] = record.products
  const consent = (type: string) => ({ type, accepted: true, accepted_at: '2026-01-31T09:30:00Z', version: '1' })
  const body = (more: object = {}) => ({
    product_id: product?.product_id,
    publisher_id: record.publisher.publisher_id,
    customer: {
      personal_data: { first_name: 'Ana', last_name: 'Prueba', gender: 'female' },
      contact: { email: { address: 'ana@example.com' } },
    },
    product_data: { loan_amount: 5000, loan_purpose: 'wedding', loan_term_months: 24 },
    consents: {
      entries: [consent('terms'), consent('privacy_policy')],
      metadata: { ip_address: '203.0.113.7', collected_at: '2026-01-31T09:30:00Z' },
    },
    ...more,
  })
  const submit = async (more?: object) => {
    const { ports, account } = tenant
    return submitResponse(await submitLead(ports, account, { body: body(more) }), account.settings)
  }
  const explain = async () =>
    submitResponse(await explainLead(tenant.ports, tenant.account, { body: body() }), tenant.account.settings)
  const report = async (status: string, method = 'POST') => {
    const { lead_id = '' } = (await submit()).notes ?? {}
    const advertiser_id = record.advertisers[0]?.advertiser_id ?? ''
    const { ports, account } = tenant
    return (
      refuseMethod(method, account.settings) ??
      statusResponse(
        await reportStatus(ports, account, { lead_id, advertiser_id, body: { status } }),
        method,
        account.settings,
      )
    )
  }
  return { tenant, submit, explain, report }
}

const warned = ({ notes }: ServiceResponse) =>
  (notes?.warnings ?? []).map(warning => `${warning.switch} ${warning.other_interpretation}: ${warning.would}`)
const unknownProduct = { product_id: '20000000-0000-4000-8000-00000000ffff' }

describe('a portability warning', () => {
  it('is not given where every interpretation leads to one response', async () => {
    const { submit } = await tenantWith()
    expect(warned(await submit())).toEqual([])
  })

  it('shows the response to a semantic refusal under the other interpretation [open/semantic_refusals]', async () => {
    const asError = await (await tenantWith({ semantic_refusals: 'http_422' })).submit(unknownProduct)
    const asRejection = await (await tenantWith({ semantic_refusals: 'rejected_200' })).submit(unknownProduct)
    expect([asError.status, warned(asError)]).toEqual([
      422,
      ['semantic_refusals rejected_200: answer 200 rejected, invalid_product'],
    ])
    expect([asRejection.status, warned(asRejection)]).toEqual([
      200,
      ['semantic_refusals http_422: answer 422 invalid_product'],
    ])
  })

  it('shows which interpretation of the methods responds otherwise [open/status_methods]', async () => {
    const both = await tenantWith()
    expect(warned(await both.report('approved'))).toEqual(['status_methods PATCH: answer 405 method_not_allowed'])
    const post = await tenantWith({ status_methods: ['POST'] })
    const refused = await post.report('approved', 'PATCH')
    expect([refused.status, warned(refused)]).toEqual([405, ['status_methods PATCH: accept PATCH']])
  })

  it('shows the response to a status under the other vocabulary [open/status_vocabulary]', async () => {
    const known = await (await tenantWith({ status_vocabulary: 'known', status_methods: ['POST'] })).report('funded')
    const any = await (await tenantWith({ status_vocabulary: 'any', status_methods: ['POST'] })).report('funded')
    expect([known.status, warned(known).at(-1)]).toEqual([400, 'status_vocabulary any: accept the status'])
    expect([any.status, warned(any).at(-1)]).toEqual([200, 'status_vocabulary known: answer 400 validation_error'])
  })
})

describe('the trace of a submission', () => {
  const checksOf = ({ notes }: ServiceResponse) =>
    (notes?.trace ?? []).map(({ check, verdict }) => `${check} ${verdict}`)

  it('ends with distribution and claim where the lead was created [4.1/rule-3]', async () => {
    const { submit } = await tenantWith()
    expect(checksOf(await submit()).slice(-2)).toEqual(['distribution passed', 'claim passed'])
  })

  it('skips every check after the shape and the publisher', async () => {
    const { submit } = await tenantWith()
    const shape = checksOf(await submit({ product_data: {} }))
    expect([shape[0], new Set(shape.slice(1).map(step => step.split(' ')[1]))]).toEqual([
      'shape rejected',
      new Set(['skipped']),
    ])
    const publisher = checksOf(await submit({ publisher_id: '10000000-0000-4000-8000-00000000ffff' }))
    expect(publisher.slice(0, 3)).toEqual(['shape passed', 'publisher rejected', 'product skipped'])
    expect(publisher).toHaveLength(shape.length)
  })

  it('names the fields that are wrong, and no value of the customer', async () => {
    const { submit } = await tenantWith()
    const { notes } = await submit({
      product_data: { loan_amount: 'secret', loan_purpose: 'wedding', loan_term_months: 24 },
    })
    expect(notes?.trace?.[0]).toMatchObject({
      check: 'shape',
      verdict: 'rejected',
      input: ['product_data.loan_amount'],
    })
    expect(JSON.stringify(notes)).not.toContain('secret')
  })
})

describe('explaining a submission', () => {
  it('responds as submitting would, and changes nothing', async () => {
    const { tenant, submit, explain } = await tenantWith()
    expect(await explain()).toMatchObject({ status: 200, body: { status: 'distributed' } })
    const { product_id = '' } = tenant.account.products[0] ?? {}
    const known = tenant.ports.storage.transact(tables => tables.findCustomer(product_id, 'ana@example.com'))
    expect(await known).toBeUndefined()
    expect(await submit()).toMatchObject({ body: { status: 'distributed' } })
    expect(await explain()).toMatchObject({
      body: { status: 'rejected', rejection_reason: 'customer_already_exists' },
    })
  })
})
