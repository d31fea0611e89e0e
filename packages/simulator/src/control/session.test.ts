import { expect, it } from 'vitest'
import { openSandbox } from '../sandbox.fixture.ts'

const adminToken = 'agreed; by="the", team'.replaceAll(' ', '_')
const control = '/_sandbox/v1'

/** A shared sandbox with a tenant, and a browser, which stores and sends cookies. */
async function openShared(origin = 'http://127.0.0.1:4010') {
  const { sandbox } = await openSandbox({ access: { adminToken }, origin })
  let cookie = ''
  const call = async (method: string, path: string, headers: Record<string, string> = {}, body?: object) => {
    const response = await sandbox.handle({
      method,
      target: `${control}${path}`,
      headers: { 'content-type': 'application/json', ...(cookie && { cookie: `theme=dark; ${cookie}` }), ...headers },
      body: new TextEncoder().encode(body && JSON.stringify(body)),
    })
    const set = response.headers['set-cookie']
    const kept = set === undefined || set.includes('Max-Age=0') ? '' : (set.split(';', 1)[0] ?? '')
    if (set !== undefined) cookie = kept
    return { status: response.status, json: JSON.parse(response.body || '{}'), set }
  }
  return { call, bearer: (token: string) => ({ authorization: `Bearer ${token}` }) }
}

it("stores a browser's token in a cookie that only the control plane gets, and removes it", async () => {
  const { call, bearer } = await openShared()
  expect((await call('GET', '/tenants')).status).toBe(401)
  expect((await call('POST', '/session', bearer('another-token-than-that'))).status).toBe(401)
  const { json, set } = await call('POST', '/session', bearer(adminToken))
  expect(json).toEqual({ role: 'admin', requires_token: true })
  expect(set).toMatch(/^lead_sandbox_4010=[^;,"\s]+; Path=\/_sandbox; HttpOnly; SameSite=Strict$/)
  expect((await call('GET', '/tenants')).status).toBe(200)
  expect((await call('DELETE', '/session')).status).toBe(200)
  expect((await call('GET', '/tenants')).status).toBe(401)
})

it('refuses the cookie from a page of another origin', async () => {
  const { call, bearer } = await openShared()
  await call('POST', '/session', bearer(adminToken))
  for (const site of ['same-site', 'cross-site'])
    expect((await call('GET', '/tenants', { 'sec-fetch-site': site })).status).toBe(403)
  const origin = 'http://127.0.0.1:3000'
  expect((await call('DELETE', '/tenants/demo', { host: '127.0.0.1:4010', origin })).status).toBe(403)
})

it.each(['read', 'write'] as const)('shows which tenant a token with the role %s opens', async role => {
  const { call, bearer } = await openShared()
  const { token } = (await call('POST', '/tenants/demo/tokens', bearer(adminToken), { role })).json
  await call('POST', '/session', bearer(token))
  expect((await call('GET', '/session')).json).toEqual({ role, tenant: 'demo', requires_token: true })
  expect((await call('GET', '/tenants/demo')).status).toBe(200)
  expect((await call('POST', '/tenants/demo/reset')).status).toBe(role === 'read' ? 403 : 200)
})

it('sets the cookie for the mount path, and over TLS only for TLS', async () => {
  const { call, bearer } = await openShared('https://qa.example/leads')
  expect((await call('POST', '/session', bearer(adminToken))).set).toContain('; Path=/leads/_sandbox;')
  expect((await call('POST', '/session', bearer(adminToken))).set).toMatch(/^lead_sandbox_443=.*; Secure$/)
})

it('sets no cookie on a sandbox without tokens, and ignores a malformed one', async () => {
  const { call } = await openSandbox()
  expect((await call('POST', `${control}/session`)).json).toEqual({ role: 'admin', requires_token: false })
  const shared = await openShared()
  expect((await shared.call('GET', '/tenants', { cookie: 'lead_sandbox_4010=%zz' })).status).toBe(401)
})
