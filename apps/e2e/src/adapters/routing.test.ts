import { expect, it } from 'vitest'
import { canSend, onEveryAdapter } from './every-adapter.ts'

const lead = '40000000-0000-4000-8000-00000000ffff'

onEveryAdapter('odd requests', (adapter, name) => {
  const possible = <Row extends string[]>(rows: Row[]) =>
    rows.filter(([method = '', target = '']) => canSend(name, method, target))

  it.each(
    possible([
      ['GET', '/api/v1'],
      ['GET', '/api/v1/'],
      ['POST', '/api/v1//lead'],
      ['POST', '//api/v1/lead'],
      ['POST', '/api//v1/lead'],
      ['POST', '/API/v1/lead'],
      ['POST', '/api/v2/lead'],
      ['POST', '/api/v1/lead;x=1'],
      ['POST', '/api/v1/x/../lead'],
      ['POST', '/api/v1/./lead'],
      ['POST', '/api/v1/%6Cead'],
      ['POST', '/api/v1/lead%2F'],
      ['POST', '/api/v1/lead#x'],
      ['GET', `/api/v1/lead/${lead}`],
      ['GET', `/api/v1/lead/${lead}/status/`],
      ['GET', '/api/v1/lead//status'],
      ['GET', '/api/v1/lead/%/status'],
      ['GET', '/api/v1/lead/%E0%A4%A/status'],
      ['GET', '/_sandbox//'],
      ['GET', '/_sandbox/v1'],
      ['GET', '/_sandbox/v1/'],
      ['GET', '/_sandbox/v1/tenants//'],
      ['GET', '/_sandbox/nothing'],
      ['OPTIONS', '/nothing'],
      ['HEAD', '/nothing'],
    ]),
  )('%s %s is a 404 in JSON [open/error.not_found]', async (method, target) => {
    const { status, json, headers } = await adapter.request(method, target)
    expect([status, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8'])
    if (method !== 'HEAD') expect(json).toEqual({ error: 'not_found', message: expect.any(String) })
  })

  const places = ['/', '/?ready', '/_sandbox', '/_sandbox/'].filter(target => canSend(name, 'GET', target))

  it.each(places)('GET %s lists what the sandbox serves', async target => {
    const { status, json } = await adapter.request('GET', target)
    expect([status, json.name]).toEqual([200, 'lead-sandbox'])
    expect(json.links).toMatchObject({ service: `${adapter.url}/api/v1`, control: `${adapter.url}/_sandbox/v1` })
    for (const [name, link] of Object.entries<string>(json.links).filter(([name]) => name.endsWith('document')))
      expect([name, (await adapter.request('GET', link.replace(adapter.url, ''))).status]).toEqual([name, 200])
    expect((await adapter.request('HEAD', target)).status).toBe(200)
  })

  it.each(
    possible([
      ['HEAD', '/api/v1/lead', 'POST'],
      ['OPTIONS', '/api/v1/lead', 'POST'],
      ['DELETE', '/api/v1/lead?x=1', 'POST'],
      ['TRACE', '/api/v1/lead', 'POST'],
      ['PROPFIND', '/api/v1/lead', 'POST'],
      ['PUT', `/api/v1/lead/${lead}/status`, 'GET, PATCH, POST'],
      ['HEAD', `/api/v1/lead/${lead}/status`, 'GET, PATCH, POST'],
      ['OPTIONS', `/api/v1/lead/${lead}/status`, 'GET, PATCH, POST'],
      ['PUT', '/_sandbox/v1/tenants', 'GET, HEAD, POST'],
      ['POST', '/_sandbox/health', 'GET, HEAD'],
      ['POST', '/_sandbox/inbox/demo', 'GET'],
      ['HEAD', '/_sandbox/inbox/demo', 'GET'],
    ]),
  )('%s %s is a 405 with Allow: %s [open/error.method_not_allowed]', async (method, target, allow) => {
    const { status, json, headers } = await adapter.request(method, target)
    expect([status, headers.allow?.split(', ').sort().join(', ')]).toEqual([405, allow])
    if (method !== 'HEAD') expect(json).toEqual({ error: 'method_not_allowed', message: expect.any(String) })
  })

  it('may have a trailing slash or an empty query in the control plane', async () => {
    expect((await adapter.request('GET', '/_sandbox/v1/tenants/')).status).toBe(200)
    expect((await adapter.request('GET', '/_sandbox/v1/tenants/demo/leads/?email=/a/')).status).toBe(200)
    expect((await adapter.request('GET', '/_sandbox/v1/tenants/demo/')).json.tenant).toBe('demo')
  })

  it("report the sandbox's health", async () => {
    const { status, json } = await adapter.request('GET', '/_sandbox/health')
    expect([status, json]).toEqual([200, { status: 'ok' }])
  })

  it('never reveal the framework in a response', async () => {
    const { headers } = await adapter.request('GET', '/api/v1/lead')
    for (const name of ['x-powered-by', 'etag', 'server', 'set-cookie']) expect(headers).not.toHaveProperty(name)
  })
})
