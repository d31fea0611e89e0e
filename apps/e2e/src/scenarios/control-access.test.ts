import { type ControlOperationName, controlOperations, createMemoryStorage } from '@lead-distribution/simulator'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Adapter, type AdapterResponse, fetchHead } from '../adapters/adapter.ts'
import { inMemory } from '../adapters/every-adapter.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { openMemoryAdapter } from '../adapters/memory-adapter.ts'
import { exchangeRaw } from '../adapters/sockets.ts'
import { createTenant, tenantsPath } from '../adapters/tenant.ts'
import { eachRow } from '../each-row.ts'
import { type ControlSubject, callOf, createControlSubject } from './control-subject.fixture.ts'

const names = Object.keys(controlOperations) as ControlOperationName[]
const metrics = '/_sandbox/metrics'

/** No page of another origin may read a response. */
function expectNoCors({ headers }: Pick<AdapterResponse, 'headers'>): void {
  expect(Object.keys(headers).filter(name => name.startsWith('access-control-'))).toEqual([])
}

describe('the control plane on this machine, through a real socket', () => {
  let adapter: Adapter
  let subject: ControlSubject
  beforeAll(async () => {
    adapter = await openExpressAdapter()
    subject = await createControlSubject(adapter)
  })
  afterAll(() => adapter.close())

  const foreign: readonly Record<string, string>[] = [
    { host: 'evil.example' },
    { host: 'localhost.evil.example' },
    { host: '127.0.0.1.evil.example' },
    { host: '192.168.0.1' },
    { host: '0.0.0.0' },
    { host: '[::]' },
    { host: 'evil.example', origin: 'http://127.0.0.1' },
    { origin: 'https://evil.example' },
    { origin: 'http://localhost.evil.example' },
    { origin: 'http://127.0.0.1.evil.example' },
    { origin: 'null' },
  ]

  it('refuses every operation to a foreign Host or Origin, without side effects', async () => {
    const before = await subject.state()
    await eachRow(names, async name => {
      const { method, target, ...body } = callOf(subject, name)
      for (const headers of foreign) {
        const reply = await adapter.request(method, target, { ...body, headers })
        expect([reply.status, reply.json.error]).toEqual([403, 'forbidden'])
        expectNoCors(reply)
      }
    })
    expect(await subject.state()).toEqual(before)
  })

  const pages: readonly Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty' },
    { origin: 'http://localhost:3000' },
  ]

  it('refuses every operation to a page of another origin, also on this machine, and also without a body', async () => {
    const before = await subject.state()
    await eachRow(names, async name => {
      const { method, target, ...body } = callOf(subject, name)
      for (const headers of pages)
        for (const sent of [body, {}]) {
          const reply = await adapter.request(method, target, { ...sent, headers })
          expect([reply.status, reply.json.error]).toEqual([403, 'forbidden'])
        }
    })
    expect(await subject.state()).toEqual(before)
  })

  it('keeps such pages and foreign hosts from the inbox', async () => {
    const before = await subject.state()
    const { tenant } = subject.tenant.account
    const target = `/_sandbox/inbox/${tenant}?lead_id=a&event=b`
    for (const headers of [...pages, ...foreign]) {
      const reply = await adapter.request('GET', target, { headers })
      expect([reply.status, reply.json.error]).toEqual([403, 'forbidden'])
    }
    const long = await adapter.request('GET', `${target}${'x'.repeat(2_048)}`)
    expect([long.status, long.json.error]).toEqual([413, 'payload_too_large'])
    expect(await subject.state()).toEqual(before)
    expect((await adapter.request('GET', target)).status).toBe(200)
  })

  it.each([metrics, '/_sandbox/openapi.json', '/_sandbox/service.openapi.json'])(
    'also refuses them %s, by GET and by HEAD',
    async path => {
      // The documents are available under any of the machine's names, so that the API reference can show them.
      for (const headers of path === metrics ? [...pages, ...foreign] : pages)
        for (const method of ['GET', 'HEAD'])
          expect((await adapter.request(method, path, { headers })).status).not.toBe(200)
      for (const headers of [{}, { 'sec-fetch-site': 'none' }, { 'sec-fetch-site': 'same-origin' }])
        expect((await adapter.request('GET', path, { headers })).status).toBe(200)
    },
  )

  it('allows no preflight of any operation, from any origin', () =>
    eachRow(names, async name => {
      const { method, target } = callOf(subject, name)
      const ask = { 'access-control-request-method': method, 'access-control-request-headers': 'content-type' }
      for (const origin of ['https://evil.example', adapter.url]) {
        const reply = await adapter.request('OPTIONS', target, { headers: { ...ask, origin } })
        expect([reply.status, reply.json.error]).toEqual([405, 'method_not_allowed'])
        expectNoCors(reply)
      }
    }))

  it('refuses a target that names another host', async () => {
    const reply = await exchangeRaw(adapter.url, {
      chunks: [`GET http://evil.example${tenantsPath} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`],
      end: true,
    })
    expect(reply).toMatch(/^HTTP\/1\.1 403 /)
  })
})

describe('the control plane on a shared host, through a real socket', () => {
  const adminToken = 'T0ken-of-the-team'
  const authorization = `Bearer ${adminToken}`
  let adapter: Adapter
  let allowed: Adapter
  let subject: ControlSubject
  beforeAll(async () => {
    adapter = await openExpressAdapter({ host: '0.0.0.0', adminToken })
    allowed = {
      ...adapter,
      request: (method, target, { headers, ...options } = {}) =>
        adapter.request(method, target, { ...options, headers: { authorization, ...headers } }),
    }
    subject = await createControlSubject(allowed)
  })
  afterAll(() => adapter.close())

  it('refuses every operation without the token, without side effects', async () => {
    const before = await subject.state()
    await eachRow(names, async name => {
      const { method, target, ...body } = callOf(subject, name)
      const inQuery = `${target}${target.includes('?') ? '&' : '?'}token=${adminToken}&access_token=${adminToken}`
      const replies = await Promise.all([
        adapter.request(method, target, body),
        adapter.request(method, inQuery, body),
        ...['', adminToken, `Basic ${adminToken}`, 'Bearer', `${authorization}x`, authorization.toUpperCase()].map(
          wrong => adapter.request(method, target, { ...body, headers: { authorization: wrong } }),
        ),
      ])
      for (const reply of replies) {
        expect([reply.status, reply.json.error, reply.headers['www-authenticate']]).toEqual([
          401,
          'unauthorized',
          'Bearer',
        ])
        expect(reply.text).not.toContain(adminToken)
        expectNoCors(reply)
      }
    })
    expect(await subject.state()).toEqual(before)
  })

  it('accepts the token with its scheme in any case, from any Host', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER'])
      for (const path of [tenantsPath, metrics]) {
        const headers = { authorization: `${scheme} ${adminToken}`, host: 'qa.example', origin: 'https://qa.example' }
        const reply = await adapter.request('GET', path, { headers })
        expect(reply.status).toBe(200)
        expectNoCors(reply)
      }
    expect((await adapter.request('GET', metrics)).status).toBe(401)
  })

  it("accepts a tenant's token for every operation that its role allows, and for no other tenant", async () => {
    const other = await createControlSubject(allowed)
    const before = await other.state()
    await eachRow(names, async name => {
      const own = await createControlSubject(allowed)
      const operation: { readonly needs?: 'admin' | 'write' | 'read'; readonly path: string } = controlOperations[name]
      const tokens = await Promise.all(
        ['read', 'write'].map(
          async role => (await own.tenant.control('POST', '/tokens', { body: { role } })).json.token,
        ),
      )
      for (const [token, isWriting] of tokens.map((token, place) => [token, place === 1] as const)) {
        const ask = async (subject: ControlSubject) => {
          const { method, target, ...body } = callOf(subject, name)
          const headers = { authorization: `Bearer ${token}` }
          if ('streams' in controlOperations[name]) return (await fetchHead(`${adapter.url}${target}`, headers)).status
          return (await adapter.request(method, target, { ...body, headers })).status
        }
        if (operation.path.includes(':tenant')) expect(await ask(other)).toBe(403)
        const { needs = controlOperations[name].methods[0] === 'GET' ? 'read' : 'write' } = operation
        const mayDo = needs === 'read' || (needs === 'write' && isWriting)
        if (mayDo) expect([200, 201, 400, 404]).toContain(await ask(own))
        else expect(await ask(own)).toBe(403)
      }
    })
    expect(await other.state()).toEqual(before)
  })

  it('does not require the token for the service', async () => {
    const { account } = subject.tenant
    const headers = { apikey: account.publisher.api_key }
    expect((await adapter.request('POST', '/api/v1/lead', { body: {}, headers })).status).toBe(400)
  })
})

inMemory('authentication', adapter => {
  it('rejects the key of a deleted tenant [5/missing_or_invalid_key]', async () => {
    const tenant = await createTenant(adapter)
    await tenant.control('DELETE')
    expect((await tenant.submit()).status).toBe(401)
  })
})

inMemory('tenants', adapter => {
  it('do not see each other: one e-mail address is a customer of each [4.1/rule-2]', async () => {
    const [one, other] = await Promise.all([createTenant(adapter), createTenant(adapter)])
    const replies = await Promise.all([one, other].map(tenant => tenant.submit(undefined, 'ana@example.com')))
    expect(replies.map(({ json }) => json.status)).toEqual(['distributed', 'distributed'])
    expect(replies[0]?.json.lead_id).not.toBe(replies[1]?.json.lead_id)
  })

  it("do not see each other: one's lead is not found with the other's key or control plane [4.2/lead_id]", async () => {
    const [one, other] = await Promise.all([createTenant(adapter), createTenant(adapter)])
    const lead = await one.distributedLead()
    const { status, json } = await other.report(lead, { status: 'converted' })
    expect([status, json.error]).toEqual([404, 'not_found'])
    expect((await other.control('GET', `/leads/${lead}`)).status).toBe(404)
    expect((await one.lead(lead)).events).toEqual([])
  })
})

it('accepts a key after thirty years [5/expiry]', async () => {
  let now = Date.UTC(2026, 0, 1)
  const adapter = await openMemoryAdapter({ clock: { now: () => now } })
  const tenant = await createTenant(adapter)
  now = Date.UTC(2056, 0, 1)
  expect((await tenant.submit()).json.status).toBe('distributed')
  await adapter.close()
})

it('rejects a key from another environment [9/rule-4, 5/environments]', async () => {
  const [here, elsewhere] = [await openMemoryAdapter(), await openMemoryAdapter()]
  const [tenant, stranger] = [await createTenant(here), await createTenant(elsewhere)]
  expect(stranger.publisherKey).not.toBe(tenant.publisherKey)
  const { status } = await tenant.submitBody(tenant.body(), { apikey: stranger.publisherKey })
  expect(status).toBe(401)
  expect((await stranger.submit()).status).toBe(200)
  await Promise.all([here.close(), elsewhere.close()])
})

it('responds to an internal failure with 500, without the cause [4.1/500, 7/500, open/error.internal_error]', async () => {
  const whole = createMemoryStorage()
  let broken = false
  const storage: typeof whole = {
    ...whole,
    of: name => {
      const memory = whole.of(name)
      const transact: typeof memory.transact = work =>
        broken ? Promise.reject(new Error('disk /var/secret is gone')) : memory.transact(work)
      return { ...memory, transact }
    },
  }
  const errors: unknown[] = []
  const adapter = await openMemoryAdapter({ storage, onError: error => errors.push(error) })
  const tenant = await createTenant(adapter)
  broken = true
  const { status, json, text } = await tenant.submit()
  expect([status, json]).toEqual([500, { error: 'internal_error', message: expect.any(String) }])
  expect(text).not.toContain('disk')
  expect(errors).toEqual([new Error('disk /var/secret is gone')])
  broken = false
  expect((await tenant.submit()).json.status).toBe('distributed')
  await adapter.close()
})

/** A server only on this machine, with a token or a value that means none. */
async function openWith(adminToken: string) {
  const adapter = await openExpressAdapter({ adminToken })
  onTestFinished(() => adapter.close())
  return (authorization?: string) =>
    adapter.request('GET', `${tenantsPath}/demo`, authorization === undefined ? {} : { headers: { authorization } })
}

it('is required if it was set, on this machine too, because a proxy may be in front of it', async () => {
  const show = await openWith('s3cret-of-the-team')
  expect((await show()).status).toBe(401)
  expect((await show('Bearer wrong')).status).toBe(401)
  const { status, json } = await show('Bearer s3cret-of-the-team')
  expect(status).toBe(200)
  expect(json.publisher.api_key).not.toBe('sandbox_pub_demo_0000000000000000')
})

it('does not count if it is empty', async () => {
  const show = await openWith('')
  expect((await show()).json.publisher.api_key).toBe('sandbox_pub_demo_0000000000000000')
})
