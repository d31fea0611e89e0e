import { createTestLeads, scenarioAddress } from '@lead-distribution/test-leads'
import { describe, expect, it } from 'vitest'
import { noon } from '../ports.fixture.ts'
import { openSandbox } from '../sandbox.fixture.ts'
import { createMemoryStorage } from '../storage/memory-storage.ts'

const day = 86_400_000
const demo = '/_sandbox/v1/tenants/demo'

/** A sandbox that deletes what is ten days old. */
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
    return leads.map(
      (lead: { submission: { customer: { contact: { email: { address: string } } } } }) =>
        lead.submission.customer.contact.email.address,
    )
  }
  const requests = async () => (await call('GET', `${demo}/requests`)).json.requests.length
  return { sandbox, time, call, submit, emails, requests, storage }
}

/** A look comes every day: what is older than ten days is deleted within one more. */
describe('what is older than the greatest age', () => {
  it('is deleted, lead by lead, with its journal and its customer; what is younger stays', async () => {
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

  it('is deleted whatever the clock of the tenant shows', async () => {
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

  it('gives its ids and numbers to nothing else, also when the sandbox is opened again', async () => {
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

  it('leaves no address behind in the count of a chain', async () => {
    const { submit, storage } = await sandboxWith()
    const chain = scenarioAddress('http_500.distributed', 'ana')
    const kept: string[] = []
    const { of } = storage
    storage.of = tenant => ({
      transact: work =>
        of(tenant).transact(tables =>
          work({
            ...tables,
            setChain(key, applied) {
              kept.push(key)
              return tables.setChain(key, applied)
            },
          }),
        ),
    })
    await submit(chain)
    expect((await submit(chain)).status).toBe('distributed')
    expect(kept.join()).not.toContain('ana')
  })
})

it('keeps everything where there is no greatest age', async () => {
  const { sandbox, time, call } = await openSandbox()
  const account = sandbox.account('demo') ?? expect.fail()
  await call('POST', '/api/v1/lead', createTestLeads(account, { today: new Date(noon) }).distributed(), {
    apikey: account.publisher.api_key,
  })
  await time.advance(4_000 * day)
  expect((await call('GET', `${demo}/leads`)).json.leads).toHaveLength(1)
})
