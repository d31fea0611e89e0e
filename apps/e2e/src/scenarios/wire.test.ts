import { describe, expect, it } from 'vitest'
import { atEveryDoor } from '../doors/every-door.ts'
import { createTenant } from '../doors/tenant.ts'

const lead = '40000000-0000-4000-8000-00000000ffff'

atEveryDoor('odd requests', door => {
  it.each([
    ['GET', '/'],
    ['GET', '/api/v1'],
    ['GET', '/api/v1/'],
    ['POST', '/api/v1/lead/'],
    ['POST', '/api/v1//lead'],
    ['POST', '//api/v1/lead'],
    ['POST', '/api//v1/lead'],
    ['POST', '/api/v1/Lead'],
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
    ['GET', '/_sandbox'],
    ['GET', '/_sandbox/'],
    ['GET', '/_sandbox/v1'],
    ['GET', '/_sandbox/v1/'],
    ['GET', '/_sandbox/v1/tenants//'],
    ['GET', '/_sandbox/nothing'],
    ['OPTIONS', '/nothing'],
    ['HEAD', '/nothing'],
  ])('%s %s is a 404 in JSON [open/error.not_found]', async (method, target) => {
    const { status, json, headers } = await door.request(method, target)
    expect([status, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8'])
    if (method !== 'HEAD') expect(json).toEqual({ error: 'not_found', message: expect.any(String) })
  })

  it.each([
    ['GET', '/api/v1/lead', 'POST'],
    ['HEAD', '/api/v1/lead', 'POST'],
    ['OPTIONS', '/api/v1/lead', 'POST'],
    ['PUT', '/api/v1/lead', 'POST'],
    ['DELETE', '/api/v1/lead?x=1', 'POST'],
    ['TRACE', '/api/v1/lead', 'POST'],
    ['PROPFIND', '/api/v1/lead', 'POST'],
    ['PUT', `/api/v1/lead/${lead}/status`, 'GET, PATCH, POST'],
    ['HEAD', `/api/v1/lead/${lead}/status`, 'GET, PATCH, POST'],
    ['OPTIONS', `/api/v1/lead/${lead}/status`, 'GET, PATCH, POST'],
    ['PUT', '/_sandbox/v1/tenants', 'GET, POST'],
    ['POST', '/_sandbox/health', 'GET'],
    ['POST', '/_sandbox/sink/demo', 'GET'],
  ])('%s %s is a 405 with Allow: %s [open/error.method_not_allowed]', async (method, target, allow) => {
    const { status, json, headers } = await door.request(method, target)
    expect([status, headers.allow?.split(', ').sort().join(', ')]).toEqual([405, allow])
    if (method !== 'HEAD') expect(json).toEqual({ error: 'method_not_allowed', message: expect.any(String) })
  })

  describe('a body', () => {
    const padded = (bytes: number, body: object) => {
      const text = JSON.stringify({ ...body, padding: '' })
      return `${text.slice(0, -2)}${'x'.repeat(bytes - text.length)}"}`
    }

    it('of exactly the limit is taken, and of a byte more refused [open/error.payload_too_large]', async () => {
      const tenant = await createTenant(door)
      const headers = { 'content-type': 'application/json' }
      const exact = padded(262_144, tenant.body())
      expect(Buffer.byteLength(exact)).toBe(262_144)
      expect((await tenant.submitBody(exact, headers)).json.status).toBe('distributed')
      const { status, json } = await tenant.submitBody(padded(262_145, tenant.body()), headers)
      expect([status, json]).toEqual([413, { error: 'payload_too_large', message: expect.any(String) }])
    })

    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
      'application/xml',
      '',
    ])('of the type %j is a 415 [open/error.unsupported_media_type] [4.1/request_body]', async type => {
      const tenant = await createTenant(door)
      const { status, json } = await tenant.submitBody(JSON.stringify(tenant.body()), { 'content-type': type })
      expect([status, json]).toEqual([415, { error: 'unsupported_media_type', message: expect.any(String) }])
    })

    it('without a type is a 415, and so is one that is compressed [open/error.unsupported_media_type]', async () => {
      const tenant = await createTenant(door)
      expect((await tenant.submitBody(JSON.stringify(tenant.body()))).status).toBe(415)
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
      expect((await tenant.submitBody(JSON.stringify(tenant.body()), headers)).status).toBe(415)
    })

    it.each(['', ' ', '{', '[1,]', 'null null', '\u0000', '{"a":1}x', '<lead/>'])(
      'of %j is a 400 malformed_json [open/error.malformed_json] [4.1/400]',
      async text => {
        const tenant = await createTenant(door)
        const { status, json } = await tenant.submitBody(text, { 'content-type': 'application/json' })
        expect([status, json]).toEqual([400, { error: 'malformed_json', message: expect.any(String) }])
      },
    )

    it.each(['null', '[]', '1', '"lead"', 'true', '{}'])(
      'of %s is a 400 with details [4.1/400] [7/validation_error]',
      async text => {
        const tenant = await createTenant(door)
        const { status, json } = await tenant.submitBody(text, { 'content-type': 'application/json' })
        expect([status, json.error]).toEqual([400, 'validation_error'])
        expect(json.details.length).toBeGreaterThan(0)
      },
    )

    it('may begin with a byte order mark, and must be UTF-8', async () => {
      const tenant = await createTenant(door)
      const bytes = Buffer.from(JSON.stringify(tenant.body()))
      const headers = { 'content-type': 'application/json' }
      expect((await tenant.submitBody(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]), headers)).status).toBe(
        200,
      )
      expect((await tenant.submitBody(Buffer.from([0x22, 0xff, 0x22]), headers)).json.error).toBe('malformed_json')
      expect((await tenant.submitBody(Buffer.from(JSON.stringify(tenant.body()), 'utf16le'), headers)).status).toBe(400)
    })
  })

  it('take the trailing slash of the control plane, and no query apart', async () => {
    expect((await door.request('GET', '/_sandbox/v1/tenants/')).status).toBe(200)
    expect((await door.request('GET', '/_sandbox/v1/tenants/demo/leads/?email=/a/')).status).toBe(200)
    expect((await door.request('GET', '/_sandbox/v1/tenants/demo/')).json.tenant).toBe('demo')
  })

  it('find the health of the sandbox', async () => {
    const { status, json } = await door.request('GET', '/_sandbox/health')
    expect([status, json]).toEqual([200, { status: 'ok' }])
  })

  it('say in no reply of the service which framework answers', async () => {
    const { headers } = await door.request('GET', '/api/v1/lead')
    for (const name of ['x-powered-by', 'etag', 'server', 'set-cookie']) expect(headers).not.toHaveProperty(name)
  })
})
