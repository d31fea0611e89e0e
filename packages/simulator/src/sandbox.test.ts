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

  it('creates equal ids and keys for an equal seed and name in two sandboxes', async () => {
    const made = async () =>
      (await (await openSandbox()).call('POST', '/_sandbox/v1/tenants', { name: 'qa', seed: 7 })).json
    expect(await made()).toEqual(await made())
  })

  it('refuses to create a tenant at an invalid time', async () => {
    const { call } = await openSandbox()
    const { status, json } = await call('POST', '/_sandbox/v1/tenants', {
      name: 'qa',
      frozen_at: '2026-02-30T00:00:00Z',
    })
    expect([status, json.details[0].field]).toEqual([400, 'frozen_at'])
    expect((await call('GET', '/_sandbox/v1/tenants/qa')).status).toBe(404)
  })

  it("derives lead ids from the tenant's seed and an optional salt, which does not change keys", async () => {
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

  it('keeps tenants, keys and numbering when reopened over the same storage', async () => {
    const storage = createMemoryStorage()
    const first = await openSandbox({ storage })
    const { json: account } = await first.call('POST', '/_sandbox/v1/tenants', { name: 'qa', seed: 7 })
    const second = await openSandbox({ storage })
    expect(second.sandbox.account('qa')).toEqual(account)
  })

  it("replaces the demo tenant's documented keys while its host is shared, and then restores them", async () => {
    const storage = createMemoryStorage()
    await openSandbox({ storage })
    const shared = await openSandbox({ storage, access: { adminToken: 't' } })
    expect(shared.sandbox.account('demo')?.publisher.api_key).not.toBe(demoAccount.publisher_key)
    const reply = await shared.call('POST', '/api/v1/lead', {}, { apikey: demoAccount.publisher_key })
    expect(reply.status).toBe(401)
    const second = await openSandbox({ storage })
    expect(second.sandbox.account('demo')?.publisher.api_key).toBe(demoAccount.publisher_key)
  })

  it("takes the demo tenant's profile from its options, even over an existing storage", async () => {
    const storage = createMemoryStorage()
    await openSandbox({ storage })
    const { sandbox } = await openSandbox({ storage, profile: 'formal' })
    expect(sandbox.account('demo')?.settings).toMatchObject({ profile: 'formal', gender: 'required' })
  })

  it('uses the profile of its options as the default for tenants', async () => {
    const { call } = await openSandbox({ profile: 'formal' })
    expect((await call('POST', '/_sandbox/v1/tenants', {})).json.settings.profile).toBe('formal')
    expect((await call('POST', '/_sandbox/v1/tenants', { profile: 'prose' })).json.settings.profile).toBe('prose')
  })

  it("passes the control plane's query on unchanged, including a trailing slash", async () => {
    const { call } = await openSandbox()
    expect((await call('GET', '/_sandbox/v1/tenants/demo/leads/?email=a/')).status).toBe(200)
    expect((await call('GET', '/_sandbox/v1/tenants/demo/leads?email=/a/')).status).toBe(200)
  })
})

it("has no timers while idle, whatever changes were made to a tenant's clock", async () => {
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

describe('a storage error', () => {
  /** A storage that the test can make fail, and the errors that the sandbox reports. */
  async function failing() {
    const storage = createMemoryStorage()
    const errors: unknown[] = []
    const error = new Error('disk full while writing ana@example.com')
    let fails = false
    const { sandbox, call } = await openSandbox({
      onError: reported => errors.push(reported),
      storage: {
        ...storage,
        of: name => ({
          transact: work => (fails ? Promise.reject(error) : storage.of(name).transact(work)),
          read: work => (fails ? Promise.reject(error) : storage.of(name).read(work)),
        }),
      },
    })
    const submit = () => {
      const account = sandbox.account('demo')
      if (!account) throw new Error('The sandbox has no demo tenant.')
      const customer = { contact: { email: { address: 'ana@example.com' } } }
      const body = createTestLeads(account).distributed({ customer })
      return call('POST', '/api/v1/lead', body, { apikey: account.publisher.api_key })
    }
    const fail = (now: boolean) => {
      fails = now
    }
    return { call, submit, errors, error, fail }
  }

  it('is a 500 that reveals no details, and is reported to the operator [4.1/500] [7/500] [open/error.internal_error]', async () => {
    const { submit, fail, errors, error } = await failing()
    fail(true)
    const { status, json } = await submit()
    expect([status, json]).toEqual([500, { error: 'internal_error', message: expect.any(String) }])
    expect(JSON.stringify(json)).not.toMatch(/disk|ana@/)
    expect(errors).toEqual([error])
  })

  it('stores nothing: the same submission is accepted afterwards [4.1/500]', async () => {
    const { submit, fail } = await failing()
    fail(true)
    await submit()
    fail(false)
    expect((await submit()).json.status).toBe('distributed')
  })

  it('is a 500 on a page too', async () => {
    const { call, errors, fail } = await failing()
    fail(true)
    const { status, json } = await call('GET', '/_sandbox/inbox/demo?lead_id=x&event=y')
    expect([status, json.error, errors.length]).toEqual([500, 'internal_error', 1])
  })
})
