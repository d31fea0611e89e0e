import { createTestLeads, scenarioAddress } from '@lead-distribution/contract/test-leads'
import { describe, expect, it } from 'vitest'
import { noon } from '../ports.fixture.ts'
import { openSandbox } from '../sandbox.fixture.ts'
import { createMemoryStorage } from '../storage/memory-storage.ts'
import { overridden } from '../storage/overridden-tables.fixture.ts'

const day = 86_400_000
const demo = '/_sandbox/v1/tenants/demo'

/** A sandbox that deletes data after ten days. */
async function sandboxWith(storage = createMemoryStorage()) {
  const { sandbox, time, call } = await openSandbox({ storage, maxAgeMs: 10 * day })
  const account = sandbox.account('demo') ?? expect.fail('There is no demo tenant.')
  const submit = async (address: string) => {
    const lead = createTestLeads(account, { today: new Date(noon) }).distributed({
      customer: { contact: { email: { address } } },
    })
    return (await call('POST', '/api/v1/lead', lead, { apikey: account.publisher.api_key })).json
  }
  const emails = async () => {
    const { leads } = (await call('GET', `${demo}/leads`)).json
    return leads.map(({ email }: { email: string }) => email)
  }
  const requests = async () => (await call('GET', `${demo}/requests`)).json.requests.length
  return { sandbox, time, call, submit, emails, requests, storage }
}

/** Checks run daily, so data older than ten days is deleted within one more day. */
describe('data older than the maximum age', () => {
  it('is deleted by lead, with its journal entries and customer, while newer data stays', async () => {
    const { time, submit, emails, requests } = await sandboxWith()
    await submit('old@example.com')
    await time.advance(5 * day)
    await submit('young@example.com')
    await time.advance(5 * day)
    expect([await emails(), await requests()]).toEqual([['young@example.com', 'old@example.com'], 2])
    await time.advance(day)
    expect([await emails(), await requests()]).toEqual([['young@example.com'], 1])
    expect((await submit('young@example.com')).rejection_reason).toBe('customer_already_exists')
    expect((await submit('old@example.com')).status).toBe('distributed')
  })

  it("is deleted regardless of the tenant's clock", async () => {
    const { time, call, submit, emails } = await sandboxWith()
    await call('POST', `${demo}/clock`, { set: '2030-01-01T00:00:00Z' })
    await submit('ahead@example.com')
    await call('POST', `${demo}/clock`, { freeze: true })
    await submit('frozen@example.com')
    await time.advance(9 * day)
    expect(await emails()).toHaveLength(2)
    await time.advance(2 * day)
    expect(await emails()).toEqual([])
  })

  it('is deleted with its events, callbacks and reports, in more than one step', async () => {
    const { time, call, submit, emails } = await sandboxWith()
    const lifecycle = [
      { event: 'registration', after: 'PT1M' },
      { event: 'loan_issued', after: 'P30D' },
    ]
    expect((await call('PATCH', demo, { settings: { lifecycle } })).status).toBe(200)
    for (let n = 0; n < 120; n++) await submit(`${n}@example.com`)
    await time.advance(60_000)
    const callbacks = async () => (await call('GET', `${demo}/callbacks?limit=500`)).json.callbacks
    await expect.poll(callbacks).toHaveLength(120)
    await time.advance(12 * day)
    expect([await emails(), await callbacks()]).toEqual([[], []])
    expect((await call('POST', `${demo}/clock/advance`, { by: 'P60D' })).json).toMatchObject({
      executed: 0,
      pending: 0,
    })
  })

  it('is deleted with its snapshots', async () => {
    const { time, call } = await sandboxWith()
    await call('POST', `${demo}/snapshots`, { name: 'old' })
    await time.advance(5 * day)
    await call('POST', `${demo}/snapshots`, { name: 'young' })
    await time.advance(6 * day)
    expect((await call('GET', `${demo}/snapshots`)).json.snapshots).toMatchObject([{ name: 'young' }])
  })

  it('leaves ids and numbers that are never reused, even after the sandbox is reopened', async () => {
    const { sandbox, time, submit, storage, emails } = await sandboxWith()
    const { lead_id } = await submit('old@example.com')
    await time.advance(12 * day)
    expect(await emails()).toEqual([])
    await sandbox.close()
    const again = await sandboxWith(storage)
    const next = await again.submit('new@example.com')
    expect(next.lead_id > lead_id).toBe(true)
    expect((await again.call('GET', `${demo}/requests`)).json.requests).toMatchObject([{ lead_id: next.lead_id }])
  })

  it('leaves no e-mail address in the count of a chain', async () => {
    const { submit, storage } = await sandboxWith()
    const chain = scenarioAddress('http_500.distributed', 'ana')
    const kept: string[] = []
    const { of } = storage
    storage.of = tenant => ({
      ...of(tenant),
      transact: work =>
        of(tenant).transact(tables =>
          work(
            overridden(tables, {
              setChain(key, applied) {
                kept.push(key)
                return tables.setChain(key, applied)
              },
            }),
          ),
        ),
    })
    await submit(chain)
    expect((await submit(chain)).status).toBe('distributed')
    expect(kept.join()).not.toContain('ana')
  })
})

describe('a tenant that expires', () => {
  const tenants = '/_sandbox/v1/tenants'
  const names = async (call: Awaited<ReturnType<typeof openSandbox>>['call']) =>
    (await call('GET', tenants)).json.tenants.map(({ tenant }: { tenant: string }) => tenant)

  it('is deleted at its expiry time, to the second, and shows this time before', async () => {
    const { time, call } = await openSandbox()
    const created = await call('POST', tenants, { name: 'ci', expires_in: 'PT2H' })
    expect(created.json.expires_at).toBe(new Date(noon + 7_200_000).toISOString())
    await call('POST', tenants, { name: 'soon', expires_in: 'PT1M' })
    await call('POST', tenants, { name: 'stays' })
    await time.advance(59_000)
    expect(await names(call)).toEqual(['demo', 'ci', 'soon', 'stays'])
    await time.advance(1_000)
    expect(await names(call)).toEqual(['demo', 'ci', 'stays'])
    await time.advance(7_140_000)
    expect(await names(call)).toEqual(['demo', 'stays'])
  })

  it('is deleted later, or never, if the expiry is changed', async () => {
    const { time, call } = await openSandbox()
    for (const name of ['later', 'never', 'sooner']) await call('POST', tenants, { name, expires_in: 'PT1H' })
    await call('PATCH', `${tenants}/later`, { expires_in: 'P1D' })
    expect((await call('PATCH', `${tenants}/never`, { expires_in: null })).json).not.toHaveProperty('expires_at')
    await call('PATCH', `${tenants}/sooner`, { expires_in: 'PT10M' })
    // Other changes and a reset keep the expiry.
    await call('PATCH', `${tenants}/sooner`, { settings: { gender: 'required' } })
    await call('POST', `${tenants}/sooner/reset`)
    await time.advance(600_000)
    expect(await names(call)).toEqual(['demo', 'later', 'never'])
    await time.advance(3_600_000)
    expect(await names(call)).toEqual(['demo', 'later', 'never'])
    await time.advance(day)
    expect(await names(call)).toEqual(['demo', 'never'])
  })

  it('is deleted in real time, regardless of its own clock', async () => {
    const { time, call } = await openSandbox()
    await call('POST', tenants, { name: 'frozen', expires_in: 'PT1H', frozen_at: '2020-01-01T00:00:00Z' })
    await call('POST', tenants, { name: 'ahead', expires_in: 'PT1H' })
    await call('POST', `${tenants}/ahead/clock/advance`, { by: 'P30D' })
    expect(await names(call)).toEqual(['demo', 'frozen', 'ahead'])
    await time.advance(3_600_000)
    expect(await names(call)).toEqual(['demo'])
  })

  it('is deleted at startup if it expired while the sandbox was stopped', async () => {
    const storage = createMemoryStorage()
    const { sandbox, call } = await openSandbox({ storage })
    await call('POST', tenants, { name: 'ci', expires_in: 'PT1H' })
    await sandbox.close()
    const later = { now: () => noon + day }
    const again = await openSandbox({ storage, clock: later })
    await expect.poll(() => names(again.call)).toEqual(['demo'])
    expect(await storage.listTenants()).toHaveLength(1)
  })

  it('cannot be the demo tenant', async () => {
    const { call } = await openSandbox()
    expect((await call('PATCH', demo, { expires_in: 'PT1H' })).json.details).toMatchObject([{ field: 'expires_in' }])
  })
})

it('keeps everything if there is no maximum age', async () => {
  const { sandbox, time, call } = await openSandbox()
  const account = sandbox.account('demo') ?? expect.fail()
  await call('POST', '/api/v1/lead', createTestLeads(account, { today: new Date(noon) }).distributed(), {
    apikey: account.publisher.api_key,
  })
  await time.advance(4_000 * day)
  expect((await call('GET', `${demo}/leads`)).json.leads).toHaveLength(1)
})
