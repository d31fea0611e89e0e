import { createTestLeads } from '@lead-distribution/test-leads'
import { describe, expect, it } from 'vitest'
import { createSandbox, type SandboxOptions } from './sandbox.ts'
import { createMemoryStorage } from './storage/memory-storage.ts'
import { demoAccount } from './tenants/demo-tenant.ts'
import { egressByHand, handMadeTime } from './world.fixture.ts'

/** A sandbox on time by hand. */
async function open(options: Partial<SandboxOptions> = {}) {
  const { clock, timer } = handMadeTime()
  let drawn = 0
  const sandbox = await createSandbox({
    storage: createMemoryStorage(),
    clock,
    timer,
    entropy: { bytes: count => new Uint8Array(count).fill(++drawn) },
    dialer: { get: egressByHand().send, close: () => undefined },
    origin: 'http://127.0.0.1:4010',
    access: {},
    allowedCallbackHosts: [],
    onError: fault => expect.fail(String(fault)),
    ...options,
  })
  const call = async (method: string, target: string, body?: object, headers: Record<string, string> = {}) => {
    const { status, body: text } = await sandbox.handle({
      method,
      target,
      headers: { 'content-type': 'application/json', ...headers },
      body: new TextEncoder().encode(body === undefined ? '' : JSON.stringify(body)),
    })
    return { status, json: JSON.parse(text) }
  }
  return { sandbox, call }
}

describe('a sandbox', () => {
  it('has the demo tenant with its documented ids [9/rule-3]', async () => {
    const { sandbox } = await open()
    expect(sandbox.account('demo')?.publisher.publisher_id).toBe(demoAccount.publisher_id)
    expect(sandbox.account('nobody')).toBeUndefined()
  })

  it('gives the demo tenant ids and keys of chance on a shared host [5/environments]', async () => {
    const { sandbox } = await open({ access: { adminToken: 't' } })
    const account = sandbox.account('demo')
    expect(JSON.stringify(account)).not.toContain(demoAccount.publisher_key)
    expect(account?.publisher.publisher_id).not.toBe(demoAccount.publisher_id)
  })

  it('makes equal ids and keys for an equal seed and name in two sandboxes', async () => {
    const made = async () => (await (await open()).call('POST', '/_sandbox/v1/tenants', { name: 'qa', seed: 7 })).json
    expect(await made()).toEqual(await made())
  })

  it('numbers the leads of a tenant by its seed, and by a salt where there is one: its keys stay', async () => {
    const made = async (chanceSalt?: string) => {
      const { sandbox, call } = await open({ chanceSalt })
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
    const first = await open({ storage })
    const { json: account } = await first.call('POST', '/_sandbox/v1/tenants', { name: 'qa', seed: 7 })
    const second = await open({ storage })
    expect(second.sandbox.account('qa')).toEqual(account)
  })

  it('takes the documented keys of the demo tenant back when its host is shared, and gives them back', async () => {
    const storage = createMemoryStorage()
    await open({ storage })
    const shared = await open({ storage, access: { adminToken: 't' } })
    expect(shared.sandbox.account('demo')?.publisher.api_key).not.toBe(demoAccount.publisher_key)
    const reply = await shared.call('POST', '/api/v1/lead', {}, { apikey: demoAccount.publisher_key })
    expect(reply.status).toBe(401)
    const alone = await open({ storage })
    expect(alone.sandbox.account('demo')?.publisher.api_key).toBe(demoAccount.publisher_key)
  })

  it('reads the profile of the demo tenant from its options, also over a storage that has it', async () => {
    const storage = createMemoryStorage()
    await open({ storage })
    const { sandbox } = await open({ storage, profile: 'formal' })
    expect(sandbox.account('demo')?.settings).toMatchObject({ profile: 'formal', gender: 'required' })
  })

  it('gives tenants that name none the profile of its options', async () => {
    const { call } = await open({ profile: 'formal' })
    expect((await call('POST', '/_sandbox/v1/tenants', {})).json.settings.profile).toBe('formal')
    expect((await call('POST', '/_sandbox/v1/tenants', { profile: 'prose' })).json.settings.profile).toBe('prose')
  })

  it('hands a query of the control plane on as it came, a slash at its end too', async () => {
    const { call } = await open()
    expect((await call('GET', '/_sandbox/v1/tenants/demo/leads/?email=a/')).status).toBe(200)
    expect((await call('GET', '/_sandbox/v1/tenants/demo/leads?email=/a/')).status).toBe(200)
  })
})

describe('a fault of the storage', () => {
  /** A storage whose tenants and inboxes fail from now on, and all that the sandbox was told of it. */
  async function failing() {
    const storage = createMemoryStorage()
    const faults: unknown[] = []
    const fault = new Error('disk full while writing ana@example.com')
    let fails = false
    const { sandbox, call } = await open({
      onError: told => faults.push(told),
      storage: {
        ...storage,
        of: name => ({ transact: work => (fails ? Promise.reject(fault) : storage.of(name).transact(work)) }),
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
    return { call, submit, faults, fault, fail }
  }

  it('is a 500 that tells nothing of it, and is told to who runs the sandbox [4.1/500] [7/500] [open/error.internal_error]', async () => {
    const { submit, fail, faults, fault } = await failing()
    fail(true)
    const { status, json } = await submit()
    expect([status, json]).toEqual([500, { error: 'internal_error', message: expect.any(String) }])
    expect(JSON.stringify(json)).not.toMatch(/disk|ana@/)
    expect(faults).toEqual([fault])
  })

  it('leaves nothing behind: the same submission is taken once it is over [4.1/500]', async () => {
    const { submit, fail } = await failing()
    fail(true)
    await submit()
    fail(false)
    expect((await submit()).json.status).toBe('distributed')
  })

  it('is a 500 on a page too', async () => {
    const { call, faults, fail } = await failing()
    fail(true)
    const { status, json } = await call('GET', '/_sandbox/sink/demo?lead_id=x&event=y')
    expect([status, json.error, faults.length]).toEqual([500, 'internal_error', 1])
  })
})
