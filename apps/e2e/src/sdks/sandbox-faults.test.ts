import { createAdvertiser } from '@lead-distribution/advertiser-sdk'
import { type ClientOptions, createPublisher, OutcomeUnknownError } from '@lead-distribution/publisher-sdk'
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

const quick: ClientOptions = { backOff: { minDelayMs: 1, maxDelayMs: 2, maxRetryAfterMs: 2 } }

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

  it('is sent again after a 429 until the service takes it, once', async () => {
    const { tenant, publisher } = await start('submitLead', { status: 429, retry_after: 7 }, 2)
    expect(await publisher.submit(tenant.body())).toMatchObject({ outcome: 'distributed', meta: { attempts: 3 } })
    expect(await leads(tenant)).toBe(1)
  })
})

/** Each effect, and whether the first request was done. What else ends a call, faults.test.ts shows. */
const effects: [name: string, effect: object, isDone: boolean][] = [
  ['loses the reply', { lost_reply: true }, true],
  ['garbles the reply', { malformed: true }, true],
  ['resets the connection', { reset: true }, false],
  ['is not available', { status: 503 }, false],
  ['never responds', { timeout: true }, false],
]

describe.each(effects)('where the service %s, the event is recorded once', (_name, effect, isDone) => {
  it('by the pixel, which is sent again', async () => {
    const { tenant, lead, advertiser, postback } = await start('reportEvent', effect)
    const result = await advertiser.fire(postback, { event: 'approved' }, { timeoutMs: 1000 })
    expect(result).toMatchObject({ outcome: isDone ? 'ignored' : 'received', meta: { attempts: 2 } })
    expect(await eventsOf(tenant, lead)).toBe(1)
  })

  it('by the body, which is sent again', async () => {
    const { tenant, lead, advertiser } = await start('reportStatus', effect)
    const result = await advertiser.reportStatus(lead, { status: 'converted' }, { timeoutMs: 1000 })
    expect(result).toMatchObject({ outcome: 'reported', status: 'converted', meta: { attempts: 2 } })
    expect([await called(tenant, 'reportStatus'), await eventsOf(tenant, lead)]).toEqual([2, 1])
  })
})

it('takes the lead of another advertiser for one that does not exist', async () => {
  const { tenant, lead } = await start('submitLead', { status: 503 })
  const other = createAdvertiser({ baseUrl: `${sandbox.url}/api/v1`, apiKey: tenant.advertiserKey(1) })
  const error = await errorOf(other.reportStatus(lead, { status: 'approved' }))
  expect(error).toMatchObject({ code: 'bad_request', error: 'not_found', meta: { status: 404, attempts: 1 } })
})
