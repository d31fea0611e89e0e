import { createAdvertiser } from '@lead-distribution/advertiser-sdk'
import { createPublisher, OutcomeUnknownError, type SharedOptions } from '@lead-distribution/publisher-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'
import { errorOf } from './calls.fixture.ts'

let sandbox: Adapter

beforeAll(async () => {
  sandbox = await openExpressAdapter()
})
afterAll(() => sandbox.close())

const quick: SharedOptions = { backOff: { minDelayMs: 1, maxDelayMs: 2, maxRetryAfterMs: 2 } }

/** A tenant with a lead, both clients of it, and a fault that acts so many times. */
async function start(operation: string, effect: object, times = 1) {
  const tenant = await createTenant(sandbox)
  const lead = await tenant.distributedLead()
  const { status } = await tenant.control('POST', '/faults', { body: { match: { operation }, effect, times } })
  expect(status).toBe(201)
  const baseUrl = `${sandbox.url}/api/v1`
  const publisher = createPublisher({ ...quick, baseUrl, apiKey: tenant.publisherKey })
  const advertiser = createAdvertiser({ ...quick, baseUrl, apiKey: tenant.advertiserKey() })
  const postback = advertiser.parsePostbackUrl(`${sandbox.url}${await tenant.postback(lead)}`)
  return { tenant, lead, publisher, advertiser, postback }
}

/** How many leads there are besides the one of the start. */
const leads = async (tenant: Tenant) => (await tenant.control('GET', '/leads')).json.leads.length - 1
const eventsOf = async (tenant: Tenant, lead: string) => (await tenant.lead(lead)).events.length
/** How many times the operation was called. */
const called = async (tenant: Tenant, operation: string) =>
  (await tenant.control('GET', '/requests')).json.requests.filter(
    (request: { operation: string | null }) => request.operation === operation,
  ).length

describe('submit', () => {
  it.each([
    ['loses the reply', { lost_reply: true }],
    ['garbles the reply', { malformed: true }],
  ])('is unknown where the service %s, and the one lead that it made is found again', async (_name, effect) => {
    const { tenant, publisher } = await start('submitLead', effect)
    const body = tenant.body()
    const error = await errorOf(publisher.submit(body))
    if (!OutcomeUnknownError.is(error)) return expect.unreachable()
    expect(error).toMatchObject({ sent: 'maybe', retryable: false, meta: { attempts: 1 } })
    expect([await leads(tenant), await called(tenant, 'submitLead')]).toEqual([1, 2])
    const again = await publisher.submit(body, { previousAttempt: JSON.parse(JSON.stringify(error.attempt)) })
    expect(again).toMatchObject({
      outcome: 'rejected',
      rejection_reason: 'customer_already_exists',
      mayBeOwnEarlierAttempt: true,
    })
    expect(await leads(tenant)).toBe(1)
    expect(await publisher.submit(body)).toMatchObject({ mayBeOwnEarlierAttempt: false })
  })

  it('is unknown where the connection is reset before anything was done, and the resubmission gets its lead', async () => {
    const { tenant, publisher } = await start('submitLead', { reset: true })
    const body = tenant.body()
    const error = await errorOf(publisher.submit(body))
    if (!OutcomeUnknownError.is(error)) return expect.unreachable()
    expect(await leads(tenant)).toBe(0)
    expect((await publisher.submit(body, { previousAttempt: error.attempt })).outcome).toBe('distributed')
  })

  it('is unknown where no answer comes in its time', async () => {
    const { tenant, publisher } = await start('submitLead', { timeout: true })
    const error = await errorOf(publisher.submit(tenant.body(), { timeoutMs: 200 }))
    expect(error).toMatchObject({ code: 'outcome_unknown', meta: { attempts: 1, status: null } })
    expect(await leads(tenant)).toBe(0)
  })

  it.each([500, 502, 503, 504])('is unknown after a %i, and is not sent again', async status => {
    const { tenant, publisher } = await start('submitLead', { status }, 9)
    const error = await errorOf(publisher.submit(tenant.body()))
    expect(error).toMatchObject({ code: 'outcome_unknown', meta: { status, attempts: 1 } })
    expect(await called(tenant, 'submitLead')).toBe(2)
  })

  it('is sent again after a 429 until the service takes it, once', async () => {
    const { tenant, publisher } = await start('submitLead', { status: 429, retry_after: 7 }, 2)
    expect(await publisher.submit(tenant.body())).toMatchObject({ outcome: 'distributed', meta: { attempts: 3 } })
    expect(await leads(tenant)).toBe(1)
  })

  it('waits for a slow service', async () => {
    const { tenant, publisher } = await start('submitLead', { latency_ms: 300 })
    expect(await publisher.submit(tenant.body())).toMatchObject({ outcome: 'distributed', meta: { attempts: 1 } })
  })
})

describe('fire', () => {
  it.each([
    ['loses the reply', { lost_reply: true }, 'ignored'],
    ['garbles the reply', { malformed: true }, 'ignored'],
    ['resets the connection', { reset: true }, 'received'],
    ['is not available', { status: 503 }, 'received'],
    ['asks to slow down', { status: 429 }, 'received'],
  ])('is sent again where the service %s, and the event is recorded once', async (_name, effect, outcome) => {
    const { tenant, lead, advertiser, postback } = await start('reportEvent', effect)
    expect(await advertiser.fire(postback, { event: 'approved' })).toMatchObject({ outcome, meta: { attempts: 2 } })
    expect(await eventsOf(tenant, lead)).toBe(1)
  })

  it('is sent again where no answer comes in its time', async () => {
    const { tenant, lead, advertiser, postback } = await start('reportEvent', { timeout: true })
    const result = await advertiser.fire(postback, { event: 'approved' }, { timeoutMs: 1000 })
    expect(result).toMatchObject({ outcome: 'received', meta: { attempts: 2 } })
    expect(await eventsOf(tenant, lead)).toBe(1)
  })
})

describe('reportStatus', () => {
  it.each([
    ['loses the reply', { lost_reply: true }],
    ['garbles the reply', { malformed: true }],
    ['resets the connection', { reset: true }],
    ['is not available', { status: 504 }],
  ])('is sent again where the service %s, and the event is recorded once', async (_name, effect) => {
    const { tenant, lead, advertiser } = await start('reportStatus', effect)
    const result = await advertiser.reportStatus(lead, { status: 'converted' })
    expect(result).toMatchObject({ outcome: 'reported', status: 'converted', meta: { attempts: 2 } })
    expect(await called(tenant, 'reportStatus')).toBe(2)
    expect(await eventsOf(tenant, lead)).toBe(1)
  })

  it('is not sent again after a lost reply where the caller says so', async () => {
    const { tenant, lead, advertiser } = await start('reportStatus', { lost_reply: true })
    const ended = advertiser.reportStatus(lead, { status: 'converted' }, { retryUnknownOutcome: false })
    expect(await errorOf(ended)).toMatchObject({ code: 'outcome_unknown', sent: 'maybe' })
    expect([await called(tenant, 'reportStatus'), await eventsOf(tenant, lead)]).toEqual([1, 1])
  })

  it.each([405, 501])('goes on to PATCH after a %i of POST, and stays with it', async status => {
    const { tenant, lead, advertiser } = await start('reportStatus', { status })
    const first = await advertiser.reportStatus(lead, { status: 'approved' })
    expect(first).toMatchObject({ outcome: 'reported', meta: { attempts: 2 } })
    await advertiser.reportStatus(lead, { status: 'converted' })
    const { requests } = (await tenant.control('GET', '/requests')).json
    const methods = requests
      .filter((request: { operation: string | null }) => request.operation === 'reportStatus')
      .map((request: { method: string }) => request.method)
    expect(methods.toReversed()).toEqual(['POST', 'PATCH', 'PATCH'])
  })

  it('of another advertiser is refused as a lead that does not exist', async () => {
    const { tenant, lead } = await start('submitLead', { status: 503 })
    const other = createAdvertiser({ baseUrl: `${sandbox.url}/api/v1`, apiKey: tenant.advertiserKey(1) })
    const error = await errorOf(other.reportStatus(lead, { status: 'approved' }))
    expect(error).toMatchObject({ code: 'bad_request', error: 'not_found', meta: { status: 404, attempts: 1 } })
  })
})
