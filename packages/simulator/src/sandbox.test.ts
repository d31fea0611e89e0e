import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { describe, expect, it } from 'vitest'
import { openSandbox } from './sandbox.fixture.ts'
import { createMemoryStorage } from './storage/memory-storage.ts'
import { demoAccount } from './tenants/create-tenant.ts'

describe('a sandbox', () => {
  it('has the demo tenant with its documented ids [9/rule-3]', async () => {
    const { sandbox } = await openSandbox()
    expect(sandbox.account('demo')?.publisher.publisher_id).toBe(demoAccount.publisher_id)
    expect(sandbox.account('nobody')).toBeUndefined()
  })

  it('gives the demo tenant random ids and keys on a shared host [5/environments]', async () => {
    const { sandbox } = await openSandbox({ access: { adminToken: 't' } })
    const account = sandbox.account('demo')
    expect(JSON.stringify(account)).not.toContain(demoAccount.publisher_key)
    expect(account?.publisher.publisher_id).not.toBe(demoAccount.publisher_id)
  })

  it('numbers the leads of a tenant by its seed, and by a salt where there is one: its keys stay', async () => {
    const made = async (randomSalt?: string) => {
      const { sandbox, call } = await openSandbox({ randomSalt })
      const account = sandbox.account('demo')
      const lead = account && createTestLeads(account).distributed()
      const { json } = await call('POST', '/api/v1/lead', lead, { apikey: demoAccount.publisher_key })
      return json.lead_id
    }
    const [first, again, salted, saltedAgain, other] = [made(), made(), made('a'), made('a'), made('b')]
    expect([await again, await saltedAgain]).toEqual([await first, await salted])
    expect(new Set([await first, await salted, await other]).size).toBe(3)
  })

  it('goes on over the same storage: tenants, their keys and their numbering', async () => {
    const storage = createMemoryStorage()
    const first = await openSandbox({ storage })
    const { json: account } = await first.call('POST', '/_sandbox/v1/tenants', { name: 'qa', seed: 7 })
    const second = await openSandbox({ storage })
    expect(second.sandbox.account('qa')).toEqual(account)
  })

  it('gives tenants without a profile that of its options', async () => {
    const { call } = await openSandbox({ profile: 'formal' })
    expect((await call('POST', '/_sandbox/v1/tenants', {})).json.settings.profile).toBe('formal')
    expect((await call('POST', '/_sandbox/v1/tenants', { profile: 'prose' })).json.settings.profile).toBe('prose')
  })

  it('passes a query of the control plane on as it came, a slash at its end too', async () => {
    const { call } = await openSandbox()
    expect((await call('GET', '/_sandbox/v1/tenants/demo/leads/?email=a/')).status).toBe(200)
    expect((await call('GET', '/_sandbox/v1/tenants/demo/leads?email=/a/')).status).toBe(200)
  })
})

it('costs nothing while it is idle: no timer waits, however the clock of a tenant was changed before', async () => {
  const { sandbox, time, call } = await openSandbox()
  const post = async (path: string, body: object) =>
    expect([200, 201]).toContain((await call('POST', `/_sandbox/v1/tenants${path}`, body)).status)
  await post('', { name: 'qa', settings: { lifecycle: [{ event: 'approved', after: 'P30D' }] } })
  for (const body of [{ freeze: true }, { resume: true }, { set: '2027-01-01T00:00:00Z' }])
    await post('/qa/clock', body)
  await post('/qa/clock/advance', { by: 'P1D' })
  await time.advance(60_000)
  expect(time.waiting()).toBe(0)
  await sandbox.close()
})

it('answers a failure of its storage with 500 on a page too, and reports it', async () => {
  const storage = createMemoryStorage()
  const errors: unknown[] = []
  const error = new Error('disk full')
  let fails = false
  const { call } = await openSandbox({
    onError: reported => errors.push(reported),
    storage: {
      ...storage,
      of: name => ({
        ...storage.of(name),
        transact: work => (fails ? Promise.reject(error) : storage.of(name).transact(work)),
      }),
    },
  })
  fails = true
  const { status, json } = await call('GET', '/_sandbox/inbox/demo?lead_id=x&event=y')
  expect([status, json.error, errors]).toEqual([500, 'internal_error', [error]])
})
