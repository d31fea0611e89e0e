import { describe, expect, it } from 'vitest'
import { openTenantClient, type Shown } from '../control/tenant-client.fixture.ts'
import { openSandbox } from '../sandbox.fixture.ts'
import { createMemoryStorage } from '../storage/memory-storage.ts'

const adminToken = 'T0ken-of-the-operator'
const alone = { isShared: false, keepsFullRequests: true }

/** Sandboxes that may not record calls in full. */
const others: readonly (readonly [string, Parameters<typeof openSandbox>[0]])[] = [
  ['that others can reach', { place: { isShared: true, keepsFullRequests: true } }],
  ['with an admin token', { place: alone, access: { adminToken } }],
  ['that was not started with this option, such as in a test', {}],
]

const authorization = `Bearer ${adminToken}`

type Client = Awaited<ReturnType<typeof openTenantClient>>

const shown = async ({ get }: Client): Promise<Shown> =>
  get(`/requests/${(await get('/requests?limit=1')).requests[0].request_id}`)

const openAlone = (options: Parameters<typeof openSandbox>[0] = {}) =>
  openTenantClient({ name: 'qa', seed: 'full' }, { place: alone, ...options })

describe('a call recorded in full', () => {
  it('has the key, the headers and the body as sent', async () => {
    const client = await openAlone()
    const lead = client.leads.distributed()
    const { api_key } = client.account.publisher
    await client.submit(lead, undefined, { 'x-sandbox-scenario': 'blacklisted', cookie: 'session=1', authorization })
    const call = await shown(client)
    expect(call).toMatchObject({ is_full: true, request_body: { state: 'whole', text: JSON.stringify(lead) } })
    expect(call.request_headers).toMatchObject({ apikey: api_key, 'x-sandbox-scenario': 'blacklisted' })
    // Credentials of other programs: the service reads neither.
    expect(call.request_headers).toMatchObject({ cookie: '***', authorization: '***' })
    expect(JSON.parse(call.response_body.text)).toMatchObject({ status: 'rejected', rejection_reason: 'blacklisted' })
  })

  it('has the value that caused a 400, even in a body that is not JSON', async () => {
    const client = await openAlone()
    const apikey = client.account.publisher.api_key
    await client.call('POST', '/api/v1/lead', '{"product_data": {"loan_amount": "much"}}', { apikey })
    expect((await shown(client)).request_body).toEqual({
      state: 'whole',
      text: '{"product_data": {"loan_amount": "much"}}',
    })
    await client.call('POST', '/api/v1/lead', '{"broken": ', { apikey })
    expect((await shown(client)).request_body).toEqual({ state: 'whole', text: '{"broken": ' })
  })

  it('has no body if that is not UTF-8, because its text would be another body', async () => {
    const client = await openAlone()
    const body = new Uint8Array([...new TextEncoder().encode('{"a":"'), 0xff, ...new TextEncoder().encode('"}')])
    const response = await client.sandbox.handle({
      method: 'POST',
      target: '/api/v1/lead',
      headers: { apikey: client.account.publisher.api_key, 'content-type': 'application/json' },
      body: async () => body,
    })
    expect(response.status).toBe(400)
    expect(await shown(client)).toMatchObject({ is_full: true, request_body: { state: 'not_json', text: '' } })
  })

  it('has the query of a pixel', async () => {
    const client = await openAlone()
    const { lead_id } = await client.submit(client.leads.distributed)
    const { deliveries } = await client.get(`/leads/${lead_id}`)
    const url = new URL(deliveries.find(({ postback_url }: Shown) => postback_url).postback_url)
    await client.call('GET', `${url.pathname}${url.search}&event=approved&ref=a%20b`)
    const query = new URLSearchParams((await shown(client)).query)
    expect(query.get('token')).toBe(url.searchParams.get('token'))
    expect(query.get('ref')).toBe('a b')
  })

  it('is masked in lists and in snapshot files', async () => {
    const client = await openAlone()
    await client.submit(client.leads.distributed, 'ana.full@example.com')
    await client.done('POST', '/snapshots', { name: 'then' })
    const key = client.account.publisher.api_key
    const { text } = await client.control('GET', '/requests')
    expect(text).not.toContain(key)
    const file = await client.control('GET', '/snapshots/then/file')
    const requests = file.text.split('\n').filter(line => line.includes('"request_headers"'))
    expect(requests.length).toBeGreaterThan(0)
    expect(requests.join('\n')).not.toMatch(new RegExp(`${key}|ana\\.full`))
  })

  it('is removed by the next call once the setting is masked', async () => {
    const client = await openAlone()
    await client.submit(client.leads.distributed, 'one@example.com')
    await client.done('PATCH', '', { settings: { journal_bodies: 'masked' } })
    expect(await client.get('/requests/r1')).not.toHaveProperty('request_body')
    await client.submit(client.leads.distributed, 'two@example.com')
    await client.time.advance(100)
    await client.done('PATCH', '', { settings: { journal_bodies: 'full' } })
    expect(await client.get('/requests/r1')).not.toHaveProperty('request_body')
    expect(await client.get('/requests/r2')).toMatchObject({ request_headers: { apikey: '***' } })
  })

  it('is removed by the next call in another process too', async () => {
    const storage = createMemoryStorage()
    const { submit, leads, time, done, account } = await openAlone({ storage })
    await submit(leads.distributed, 'one@example.com')
    await time.advance(100)
    await done('PATCH', '', { settings: { journal_bodies: 'masked' } })
    // Simulates a kill of the first process: its storage stays open.
    const next = await openSandbox({ storage, place: alone })
    const apikey = account.publisher.api_key
    await next.call('POST', '/api/v1/lead', leads.distributed(), { apikey })
    await next.time.advance(100)
    const stored = await storage.of('qa').read(tables => Promise.all([1, 2].map(nth => tables.readBodies(nth))))
    expect([stored[0], stored[1]?.sent]).toEqual([undefined, undefined])
    expect(stored[1]?.request?.state).toBe('whole')
  })
})

describe('recording calls in full', () => {
  it('is the default of new tenants and of the demo tenant', async () => {
    const { sandbox, account } = await openAlone()
    const bodies = [account.settings, sandbox.account('demo')?.settings].map(each => each?.journal_bodies)
    expect(bodies).toEqual(['full', 'full'])
  })
})

describe.each(others)('a sandbox %s', (_name, options) => {
  /** Opens a tenant of such a sandbox, over a storage that another sandbox may have written. */
  const openOther = async (storage = createMemoryStorage()) => {
    const opened = await openSandbox({ storage, ...options })
    const control = (method: string, path: string, body?: object) =>
      opened.call(method, `/_sandbox/v1/tenants${path}`, body, { authorization })
    return { ...opened, control, storage }
  }

  it('records no call in full by default, and refuses the setting', async () => {
    const { control } = await openOther()
    const refused = await control('POST', '', { name: 'wants', settings: { journal_bodies: 'full' } })
    expect(refused).toMatchObject({ status: 400, json: { details: [{ field: 'settings.journal_bodies' }] } })
    await control('POST', '', { name: 'qa' })
    expect((await control('PATCH', '/qa', { settings: { journal_bodies: 'full' } })).status).toBe(400)
    const kept = ['demo', 'qa'].map(async name => (await control('GET', `/${name}`)).json.settings.journal_bodies)
    expect(await Promise.all(kept)).not.toContain('full')
  })

  it('neither shows nor records full calls of a tenant from another sandbox, even after a restore and a reset', async () => {
    const storage = createMemoryStorage()
    const before = await openAlone({ storage })
    const email = 'ana.left@example.com'
    await before.submit(before.leads.distributed, email)
    await before.time.advance(100)
    await before.done('POST', '/snapshots', { name: 'full' })
    const { api_key } = before.account.publisher
    // Simulates a kill of the process: its storage stays open.
    const { control, call, time } = await openOther(storage)
    const contents = async () => {
      await time.advance(100)
      const { json } = await control('GET', '/qa/requests')
      const ids = json.requests.map(({ request_id }: Shown) => request_id)
      expect(ids.length).toBeGreaterThan(0)
      const texts = ids.map(async (id: string) => (await control('GET', `/qa/requests/${id}`)).text)
      const stored = await storage.of('qa').read(tables => Promise.all([1, 2, 3].map(nth => tables.readBodies(nth))))
      return { shown: (await Promise.all(texts)).join('\n'), stored: JSON.stringify(stored) }
    }
    const submit = (address: string) =>
      call('POST', '/api/v1/lead', before.leads.distributed({ customer: { contact: { email: { address } } } }), {
        apikey: api_key,
      })
    const secret = new RegExp(`${api_key}|ana\\.left|is_full`)
    expect((await contents()).shown).not.toMatch(secret)
    await submit('two@example.com')
    const after = await contents()
    expect(after.shown).not.toMatch(secret)
    expect(after.stored).not.toMatch(new RegExp(`${secret.source}|"sent"|two@`))
    expect((await control('POST', '/qa/snapshots/full/restore')).status).toBe(200)
    expect((await control('GET', '/qa')).json.settings.journal_bodies).toBe('masked')
    expect((await contents()).shown).not.toMatch(secret)
    await submit('three@example.com')
    const restored = await contents()
    expect(restored.shown).not.toMatch(secret)
    expect(restored.stored).not.toMatch(new RegExp(`${secret.source}|"sent"|three@`))
    await control('POST', '/qa/reset')
    expect((await control('GET', '/qa')).json.settings.journal_bodies).toBe('masked')
  })
})
