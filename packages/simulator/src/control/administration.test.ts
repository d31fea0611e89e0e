import { describe, expect, it } from 'vitest'
import { settled } from '../ports.fixture.ts'
import { openSandbox } from '../sandbox.fixture.ts'
import { createMemoryStorage } from '../storage/memory-storage.ts'

const adminToken = 'T0ken-of-the-operator'
const tenants = '/_sandbox/v1/tenants'

/** A shared sandbox, and a function to call it with a token. */
async function sharedSandbox(options: Parameters<typeof openSandbox>[0] = {}) {
  const { sandbox, time, call } = await openSandbox({ access: { adminToken }, ...options })
  const by = (token: string) => async (method: string, path: string, body?: object) =>
    call(method, path.startsWith('/') ? path : `${tenants}/${path}`, body, { authorization: `Bearer ${token}` })
  const admin = by(adminToken)
  const tokenOf = async (tenant: string, role = 'write') =>
    (await admin('POST', `${tenant}/tokens`, { role })).json as { token: string; token_id: string }
  return { sandbox, time, by, admin, tokenOf }
}

/** The same with the tenants `qa` and `other`, and a caller for each role in `qa`. */
async function twoTenants() {
  const shared = await sharedSandbox()
  for (const name of ['qa', 'other']) await shared.admin('POST', tenants, { name })
  const [write, read] = [await shared.tokenOf('qa'), await shared.tokenOf('qa', 'read')]
  return { ...shared, write: shared.by(write.token), read: shared.by(read.token), texts: [write.token, read.token] }
}

describe('a token of a tenant', () => {
  it('opens its own tenant and no other', async () => {
    const { write, read } = await twoTenants()
    for (const call of [write, read]) {
      expect((await call('GET', 'qa')).status).toBe(200)
      for (const path of ['other', 'nobody', 'demo', 'other/leads', 'nobody/inbox', 'other/events'])
        expect((await call('GET', path)).json).toEqual({
          error: 'forbidden',
          message: 'This token belongs to another tenant. Name that tenant, or send a token of this one.',
        })
    }
    expect((await write('PATCH', 'other', { settings: { gender: 'required' } })).status).toBe(403)
    expect((await write('DELETE', 'other')).status).toBe(403)
  })

  it('lists only its tenant', async () => {
    const { admin, read } = await twoTenants()
    const names = async (call: typeof read) =>
      (await call('GET', tenants)).json.tenants.map(({ tenant }: { tenant: string }) => tenant)
    expect(await names(admin)).toEqual(['demo', 'qa', 'other'])
    expect(await names(read)).toEqual(['qa'])
    const counted = async (call: typeof read) => (await call('GET', '/_sandbox/v1/coverage')).json.tenants
    expect([await counted(admin), await counted(read)]).toEqual([3, 1])
  })

  it('with the role write changes its tenant; with the role read, nothing', async () => {
    const { write, read } = await twoTenants()
    const settings = { gender: 'required' }
    expect((await read('PATCH', 'qa', { settings })).json).toEqual({
      error: 'forbidden',
      message: 'This token is read-only. Send one with the role write, or the admin token.',
    })
    expect((await write('PATCH', 'qa', { settings })).json.settings).toMatchObject(settings)
    for (const path of ['qa/reset', 'qa/clock', 'qa/snapshots', 'qa/faults', 'qa/leads/explain'])
      expect((await read('POST', path, {})).status).toBe(403)
  })

  it('with the role read cannot export a snapshot, whose seed reveals the keys; an export contains no token', async () => {
    const { write, read } = await twoTenants()
    await write('POST', 'qa/snapshots', { name: 'now' })
    expect((await read('GET', 'qa/snapshots/now/file')).status).toBe(403)
    const exported = await write('GET', 'qa/snapshots/now/file')
    const { tenant } = JSON.parse(exported.text.split('\n', 1)[0] ?? '')
    expect([exported.status, Object.keys(tenant)]).toEqual([200, expect.arrayContaining(['seed'])])
    expect(tenant).not.toHaveProperty('tokens')
  })

  it('with the role read sees no keys, secrets or postback URLs anywhere', async () => {
    const { write, read } = await twoTenants()
    const account = (await write('GET', 'qa')).json
    const secrets = [
      ...[account.publisher, ...account.advertisers].flatMap(party => [party.api_key, party.postback_secret]),
      account.publisher.callback_secret,
    ].filter(secret => secret !== undefined)
    expect(secrets).toHaveLength(8)
    for (const path of ['qa', tenants]) {
      const text = JSON.stringify((await read('GET', path)).json)
      for (const secret of secrets) expect(text).not.toContain(secret)
      expect(text).toContain(account.publisher.publisher_id)
    }
    expect((await read('GET', 'qa')).json.publisher).toMatchObject({ api_key: 'hidden', callback_secret: 'hidden' })
  })

  it('cannot do what is reserved for the operator', async () => {
    const { write, texts } = await twoTenants()
    for (const [method, path, body] of [
      ['POST', tenants, { name: 'third' }],
      ['POST', 'qa/tokens', { role: 'write' }],
      ['GET', 'qa/tokens', undefined],
      ['DELETE', 'qa/tokens/000000000000', undefined],
      ['POST', 'qa/hosts', { host: 'qa.example' }],
      ['DELETE', 'qa/hosts/qa.example', undefined],
    ] as const)
      expect([path, (await write(method, path, body)).json.message]).toEqual([path, 'Requires the admin token.'])
    expect((await write('GET', '/_sandbox/metrics')).status).toBe(401)
    expect(texts.join()).not.toContain(adminToken)
  })

  it('is stored as a hash, and shown once', async () => {
    const storage = createMemoryStorage()
    const { admin, tokenOf } = await sharedSandbox({ storage })
    const { token, token_id } = await tokenOf('demo')
    expect(token).toMatch(/^sandbox_tok_demo_[0-9a-f]{12}_[0-9a-f]{64}$/)
    const secret = token.slice(-64)
    expect(JSON.stringify(await storage.listTenants())).not.toContain(secret)
    const { json } = await admin('GET', 'demo/tokens')
    expect(json.tokens).toMatchObject([{ token_id, role: 'write' }])
    expect(JSON.stringify(json)).not.toContain(secret)
  })

  it('counts towards a limit of a hundred, and keeps the name that it was given', async () => {
    const { admin, tokenOf } = await sharedSandbox()
    expect((await admin('GET', 'demo/tokens')).json).toEqual({ tokens: [] })
    const { json } = await admin('POST', 'demo/tokens', { role: 'read', name: 'pipeline' })
    expect(json).toMatchObject({ role: 'read', name: 'pipeline', created_at: '2026-06-15T12:00:00.000Z' })
    for (let nth = 1; nth < 100; nth++) await tokenOf('demo')
    const { tokens } = (await admin('GET', 'demo/tokens')).json
    expect([tokens.length, tokens[0].name, 'name' in tokens[1]]).toEqual([100, 'pipeline', false])
    const refused = await admin('POST', 'demo/tokens', { role: 'read' })
    expect(refused.json).toEqual({
      error: 'too_many',
      message: 'The tenant already has 100 tokens. Revoke those that you no longer need.',
    })
    await admin('DELETE', `demo/tokens/${tokens[0].token_id}`)
    expect((await admin('POST', 'demo/tokens', { role: 'read' })).status).toBe(201)
  })

  it('opens nothing once revoked, even after a reset or the restore of an earlier snapshot', async () => {
    const { admin, by, tokenOf } = await sharedSandbox()
    const { token, token_id } = await tokenOf('demo')
    await admin('POST', 'demo/snapshots', { name: 'before' })
    expect((await admin('DELETE', `demo/tokens/${token_id}`)).json).toEqual({ revoked: token_id })
    const statuses = []
    for (const path of ['demo/snapshots/before/restore', 'demo/reset']) {
      statuses.push((await by(token)('GET', 'demo')).status)
      await admin('POST', path)
    }
    statuses.push((await by(token)('GET', 'demo')).status)
    expect(statuses).toEqual([401, 401, 401])
    expect((await admin('DELETE', `demo/tokens/${token_id}`)).status).toBe(404)
  })

  it('reads its stream until it is revoked, which ends the streams of its tenant and no others', async () => {
    const { sandbox, admin, tokenOf } = await sharedSandbox()
    await admin('POST', tenants, { name: 'qa' })
    const [revoked, other] = [await tokenOf('demo', 'read'), await tokenOf('qa', 'read')]
    const open = async (tenant: string, token: string) => {
      const headers = { authorization: `Bearer ${token}` }
      const target = `${tenants}/${tenant}/events`
      const { stream } = await sandbox.handle({ method: 'GET', target, headers, body: new Uint8Array() })
      return (stream ?? expect.fail('There is no stream.'))[Symbol.asyncIterator]()
    }
    const [ended, going] = [await open('demo', revoked.token), await open('qa', other.token)]
    const ready = { done: false, value: expect.stringContaining('event: ready') }
    expect([await ended.next(), await going.next()]).toEqual([ready, ready])
    const last = ended.next()
    expect((await admin('DELETE', `demo/tokens/${revoked.token_id}`)).status).toBe(200)
    expect(await last).toEqual({ done: false, value: expect.stringContaining('"change":"changed"') })
    const after = await Promise.race([ended.next(), settled().then(() => 'still open')])
    expect(after).toEqual({ done: true, value: undefined })
    await admin('POST', 'qa/clock', { freeze: true })
    expect(await going.next()).toEqual({ done: false, value: expect.stringContaining('event: clock') })
    await sandbox.close()
  })

  it('survives a reset and a restart of the sandbox, and is deleted with its tenant', async () => {
    const storage = createMemoryStorage()
    const first = await sharedSandbox({ storage })
    await first.admin('POST', tenants, { name: 'qa', seed: 1 })
    const { token } = await first.tokenOf('qa')
    await first.admin('POST', 'qa/reset')
    const again = await sharedSandbox({ storage })
    expect((await again.by(token)('GET', 'qa')).status).toBe(200)
    await again.admin('DELETE', 'qa')
    await again.admin('POST', tenants, { name: 'qa', seed: 1 })
    expect((await again.by(token)('GET', 'qa')).status).toBe(401)
  })

  it.each([
    ['its secret differs', (token: string) => `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`],
    ['it names another tenant', (token: string) => token.replace('_qa_', '_other_')],
    ['it names no tenant', (token: string) => token.replace('_qa_', '_nobody_')],
    ['it is cut short', (token: string) => token.slice(0, -1)],
    ['it is longer', (token: string) => `${token}0`],
    ['its letter case differs', (token: string) => token.toUpperCase()],
  ])('opens nothing if %s', async (_title, changed) => {
    const { by, texts } = await twoTenants()
    for (const text of texts)
      for (const path of ['qa', 'other', tenants]) {
        const { status, json } = await by(changed(text))('GET', path)
        expect([status, json.error]).toEqual([401, 'unauthorized'])
      }
  })
})

describe('a host allowed at run time', () => {
  const url = 'https://qa.example/callbacks'
  const setUrl = { callback_url: url }

  it("is allowed only for its tenant's callbacks, until it is removed", async () => {
    const { admin, write } = await twoTenants()
    expect((await write('PATCH', 'qa', setUrl)).json.details[0].issue).toContain('lead-sandbox hosts allow qa.example')
    const allowed = { hosts: [{ host: 'qa.example', allowed: 'for_this_tenant' }] }
    expect((await admin('POST', 'qa/hosts', { host: 'QA.example.' })).json).toEqual(allowed)
    expect((await write('GET', 'qa/hosts')).json).toEqual(allowed)
    expect((await write('PATCH', 'qa', setUrl)).json.publisher.callback_url).toBe(url)
    expect((await admin('PATCH', 'other', setUrl)).status).toBe(400)
    expect((await admin('DELETE', 'qa/hosts/qa.example')).json).toEqual({ hosts: [] })
    expect((await admin('DELETE', 'qa/hosts/qa.example')).status).toBe(404)
    expect((await write('PATCH', 'qa', setUrl)).status).toBe(400)
  })

  it('counts towards a limit of a hundred, and may be allowed twice', async () => {
    const { admin } = await sharedSandbox()
    expect((await admin('GET', 'demo/hosts')).json).toEqual({ hosts: [] })
    expect((await admin('DELETE', 'demo/hosts/h1.example')).status).toBe(404)
    for (let nth = 0; nth < 100; nth++) await admin('POST', 'demo/hosts', { host: `h${nth}.example` })
    expect((await admin('POST', 'demo/hosts', { host: 'more.example' })).json).toEqual({
      error: 'too_many',
      message: 'The tenant already has 100 hosts. Remove those that you no longer need.',
    })
    expect((await admin('POST', 'demo/hosts', { host: 'H7.example' })).json.hosts).toHaveLength(100)
  })

  it('is listed after those allowed at startup, and survives a reset and a restart', async () => {
    const storage = createMemoryStorage()
    const first = await sharedSandbox({ storage, allowedCallbackHosts: ['always.example'] })
    await first.admin('POST', 'demo/hosts', { host: 'qa.example' })
    await first.admin('POST', 'demo/reset')
    const again = await sharedSandbox({ storage, allowedCallbackHosts: ['always.example'] })
    expect((await again.admin('GET', 'demo/hosts')).json.hosts).toEqual([
      { host: 'always.example', allowed: 'at_start' },
      { host: 'qa.example', allowed: 'for_this_tenant' },
    ])
  })

  it.each(['169.254.169.254', '0.0.0.0', '[fe80::1]'])('cannot be %s, which is never dialed', async host => {
    const { admin } = await sharedSandbox()
    expect((await admin('POST', 'demo/hosts', { host })).json.details[0].issue).toContain('no flag allows it')
  })

  it.each(['https://qa.example', 'qa.example:0', '*.example', 'qa.example/x', 'a b'])('cannot be %j', async host => {
    const { admin } = await sharedSandbox()
    expect((await admin('POST', 'demo/hosts', { host })).status).toBe(400)
  })
})
