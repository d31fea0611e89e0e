import { describe, expect, it } from 'vitest'
import { type BodyReader, parseBody } from './http-message.ts'
import { readInput } from './read-input.ts'
import { httpRequest } from './request.fixture.ts'
import { answerHead, type Call, createService, type HandledOperation, type Layer, refuseCall } from './service.ts'

const echo = async ({ params, query, input, method, path, headers }: Call) => ({
  status: 200,
  body: { caller: headers.apikey, params, query: String(query), input, method, path },
})

/** Refuses a call without a key. */
const wantKey: Layer = async (call, next) =>
  call.headers.apikey === undefined ? { status: 401, body: { error: 'unauthorized', message: 'no' } } : next()

interface Options {
  handle?: HandledOperation['handle']
  identify?: Layer
  answersHead?: boolean
}

/** A service with operations that return their call; records the errors that it reports. */
function serviceOf({ handle: run = echo, identify = wantKey, answersHead = false }: Options = {}) {
  const errors: unknown[] = []
  const handle = createService({
    basePath: '/api/v1',
    operations: {
      make: { methods: ['POST'], path: '/things', in: 'body', handle: run },
      show: { methods: ['GET'], path: '/things/:id', in: 'none', handle: run },
    },
    layers: [identify, readInput({ maxBodyBytes: 100 }), refuseCall],
    answersHead,
    onError: error => errors.push(error),
  })
  const call = async (method: string, target: string, text = '', headers: Record<string, string> = {}) => {
    const reply = await handle(
      httpRequest(method, target, { text, headers: { apikey: 'me', 'content-type': 'application/json', ...headers } }),
    )
    return reply && { status: reply.status, headers: reply.headers, json: JSON.parse(reply.body) }
  }
  return { call, handle, errors }
}

describe('a service', () => {
  it('passes the call to an operation, without the transport', async () => {
    const reply = await serviceOf().call('POST', '/api/v1/things?a=1&a=2', '{"x":[1]}')
    expect(reply?.json).toEqual({
      caller: 'me',
      params: {},
      query: 'a=1&a=2',
      input: { x: [1] },
      method: 'POST',
      path: '/api/v1/things',
    })
  })

  it('responds with JSON that must not be cached', async () => {
    const reply = await serviceOf().call('GET', '/api/v1/things/7')
    expect(reply?.headers).toEqual({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
  })

  it.each([
    '/api/v2/things',
    '/api/v1',
    '/api/v10/things',
    '/',
    '',
    '*',
    'http://host/api/v1/things',
    '/API/V1/things',
  ])('leaves %j to other handlers', async target => {
    expect(await serviceOf().call('GET', target)).toBeUndefined()
  })

  it.each(['/api/v1/', '/api/v1//things', '/api/v1/things/', '/api/v1/things/%', '/api/v1/nothing?things'])(
    'responds 404 to %j, as JSON',
    async target => {
      const reply = await serviceOf().call('POST', target, '{}')
      expect(reply).toMatchObject({
        status: 404,
        json: { error: 'not_found', message: expect.stringContaining('No operation has this path') },
      })
    },
  )

  it.each([
    ['HEAD', '/api/v1/things/7', 'GET'],
    ['OPTIONS', '/api/v1/things', 'POST'],
    ['PUT', '/api/v1/things?x=/', 'POST'],
  ])('responds 405 with Allow to %s %s', async (method, target, allow) => {
    const reply = await serviceOf().call(method, target, '{}')
    expect(reply).toMatchObject({ status: 405, headers: { allow }, json: { error: 'method_not_allowed' } })
  })

  it('runs its layers before reading the body', async () => {
    const { handle } = serviceOf()
    const reply = await handle(httpRequest('POST', '/api/v1/things', { text: '{'.repeat(1000), headers: {} }))
    expect(reply?.status).toBe(401)
  })

  it('does not read the body of an operation without one', async () => {
    const reply = await serviceOf().call('GET', '/api/v1/things/7', '{not json', { 'content-type': 'text/plain' })
    expect(reply?.status).toBe(200)
    expect(reply?.json).not.toHaveProperty('input')
  })

  it.each(['a layer', 'a handler'])('responds 500 to an error in %s, and reveals nothing about it', async place => {
    const fail = async () => {
      throw new Error('secret: SELECT * FROM leads')
    }
    const { call, errors } = serviceOf(place === 'a layer' ? { identify: fail } : { handle: fail })
    const reply = await call('GET', '/api/v1/things/7')
    expect(reply).toMatchObject({
      status: 500,
      json: { error: 'internal_error', message: 'Something went wrong in the service. Try again later.' },
    })
    expect(JSON.stringify(reply)).not.toContain('secret')
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('secret') })])
  })

  it("responds 500 if a response can't be serialized as JSON", async () => {
    const loop: Record<string, unknown> = {}
    loop.self = loop
    const circular = async () => ({ status: 200, body: loop })
    const { call, errors } = serviceOf({ handle: circular })
    expect((await call('GET', '/api/v1/things/7'))?.status).toBe(500)
    expect(errors).toHaveLength(1)
  })

  it("adds an operation's headers to those of every response", async () => {
    const tagged = async () => ({ status: 201, body: {}, headers: { location: '/x' } })
    const reply = await serviceOf({ handle: tagged }).call('GET', '/api/v1/things/7')
    expect(reply).toMatchObject({ status: 201, headers: { location: '/x', 'cache-control': 'no-store' } })
  })
})

describe('a HEAD that is handled as a GET', () => {
  it('is refused by an operation of another method, which lists all methods of its path', async () => {
    const { call } = serviceOf({ answersHead: true })
    expect((await call('HEAD', '/api/v1/things/7'))?.status).toBe(200)
    expect((await call('HEAD', '/api/v1/things'))?.status).toBe(405)
    expect(await call('PUT', '/api/v1/things/7')).toMatchObject({
      headers: { allow: 'GET, HEAD' },
      json: { message: 'Use one of these methods: GET, HEAD.' },
    })
  })

  it('opens no stream', async () => {
    const handle = createService({
      basePath: '/api',
      operations: {
        watch: { methods: ['GET'], path: '/events', in: 'none', streams: true, handle: () => expect.unreachable() },
      },
      layers: [answerHead],
      answersHead: true,
      onError: error => expect.fail(String(error)),
    })
    const reply = await handle(httpRequest('HEAD', '/api/events'))
    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
    expect(reply?.stream).toBeDefined()
  })
})

it.each([
  ['{"a":1}', { a: 1 }],
  ['{"a":', '{"a":'],
])('parses the response body %s, or keeps it as text if it is not JSON', (body, parsed) => {
  expect(parseBody({ status: 200, headers: {}, body })).toEqual(parsed)
})

describe('the body of a call', () => {
  /** A request that records if its body was read. */
  const sent = async (target: string, headers: Record<string, string>, came: Awaited<ReturnType<BodyReader>>) => {
    let wasRead = false
    const body: BodyReader = async () => {
      wasRead = true
      return came
    }
    const reply = await serviceOf().handle({ method: 'POST', target, headers, body })
    return [reply?.status, wasRead]
  }
  const json = { 'content-type': 'application/json' }
  const whole = new TextEncoder().encode('{}')

  it('is read only by its layer', async () => {
    expect(await sent('/api/v1/things', json, whole)).toEqual([401, false])
    expect(await sent('/api/v1/nothing', { ...json, apikey: 'me' }, whole)).toEqual([404, false])
    expect(await sent('/api/v1/things/7', { ...json, apikey: 'me' }, whole)).toEqual([405, false])
    expect(await sent('/api/v1/things', { ...json, apikey: 'me' }, whole)).toEqual([200, true])
  })

  it("gets the response of its reader if it can't be read", async () => {
    const overloaded = { status: 503, body: { error: 'overloaded' } }
    expect(await sent('/api/v1/things', { ...json, apikey: 'me' }, overloaded)).toEqual([503, true])
  })
})
