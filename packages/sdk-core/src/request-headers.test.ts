import { afterEach, describe, expect, it, vi } from 'vitest'
import type { CallEvent, CallOptions } from './call.ts'
import type { ClientOptions } from './client.ts'
import { createHttpClient } from './client.ts'
import { replies, startFaultServer, submitCall } from './fault-server.fixture.ts'

/** The headers that reach the service, with the call's meta and events. */
async function send(client: ClientOptions = {}, options: CallOptions = {}, step = replies(200, { status: 'new' })) {
  const { baseUrl, reached } = await startFaultServer(step)
  const events: CallEvent[] = []
  const all = { baseUrl, apiKey: 'sandbox_key', onEvent: (event: CallEvent) => void events.push(event), ...client }
  const { meta } = await createHttpClient(all, 'LEAD_PUBLISHER_API_KEY').call({ ...submitCall, options })
  return { headers: reached[0]?.headers ?? {}, meta, events }
}

afterEach(() => vi.unstubAllGlobals())

describe('headers', () => {
  it("combine those of the client and the call, which override the client's", async () => {
    const client = { headers: { 'x-a': 'client', 'X-B': 'client', 'x-c': 'client' } }
    const { headers } = await send(client, { headers: { 'X-A': 'call', 'x-c': undefined } })
    expect([headers['x-a'], headers['x-b'], 'x-c' in headers]).toEqual(['call', 'client', false])
  })

  it.each(['apikey', 'ApiKey', 'accept', 'Content-Type', 'x-request-id', 'user-agent'])(
    "of the SDK can't be set: %s",
    async name => {
      const error = {
        code: 'config',
        sent: 'no',
        message: `\`headers\` must not set ${name.toLowerCase()}: the SDK sets it.`,
      }
      await expect(send({ headers: { [name]: 'mine' } })).rejects.toMatchObject(error)
      await expect(send({}, { headers: { [name]: undefined } })).rejects.toMatchObject(error)
    },
  )

  it.each([
    'transfer-encoding',
    'Content-Length',
    'connection',
    'Keep-Alive',
    'upgrade',
    'EXPECT',
    'te',
    'trailer',
    'Host',
  ])("of framing and connection can't be set: %s", async name => {
    const error = {
      code: 'config',
      sent: 'no',
      message: expect.stringMatching(`^\`headers\` must not set ${name.toLowerCase()}: the runtime sets it.`),
    }
    await expect(send({ headers: { [name]: '1' } })).rejects.toMatchObject(error)
    await expect(send({}, { headers: { [name]: '1' } })).rejects.toMatchObject(error)
  })

  it.each([
    ['a line break in a value', { 'x-a': 'secret\r\nx-b: 1' }],
    ['a NUL in a value', { 'x-a': 'secret\0' }],
    ['a character outside Latin-1', { 'x-a': 'secret€' }],
    ['a value that is not a string', { 'x-a': 5 }],
    ['null as a value', { 'x-a': null }],
    ['a space in a name', { 'x a': 'secret' }],
    ['an empty name', { '': 'secret' }],
    ['Headers', new Headers({ 'x-a': 'secret' })],
    ['pairs', [['x-a', 'secret']]],
    ['a text', 'x-a: secret'],
    ['a function', () => ({ 'x-a': 'secret' })],
    ['null', null],
  ])('are refused without being quoted: %s', async (_what, headers) => {
    for (const sending of [send({ headers } as never), send({}, { headers } as never)]) {
      const error = await sending.catch(error => error)
      expect(error).toMatchObject({ code: 'config', message: expect.stringContaining('`headers` must be') })
      expect(error.message).not.toContain('secret')
    }
  })

  it('that a response repeats are redacted', async () => {
    const headers = { 'proxy-authorization': 'Basic c2VjcmV0' }
    const echo = replies(200, { status: 'new' }, { server: 'basic C2VjcmV0', via: '1.1 proxy' })
    const { meta, events } = await send({ headers }, {}, echo)
    expect(meta.headers).toMatchObject({ via: '1.1 proxy' })
    expect(JSON.stringify([meta, events]).toLowerCase()).not.toContain('c2vjcmv0')
  })
})

describe('the call', () => {
  it('has its id in x-request-id, its meta and its events', async () => {
    const { headers, meta, events } = await send()
    expect([headers['x-request-id'], events[0]?.callId]).toEqual([meta.callId, meta.callId])
  })

  it("has the response's status and headers in its meta", async () => {
    const { meta } = await send({}, {}, replies(201, { status: 'new' }, { 'cf-ray': 'ray-1', 'x-own': 'any' }))
    expect(meta).toMatchObject({ status: 201, headers: { 'cf-ray': 'ray-1', 'content-type': 'application/json' } })
    expect(meta.headers).not.toHaveProperty('x-own')
  })
})

describe('the user agent', () => {
  const agentOf = async (options: ClientOptions = {}) => (await send(options)).headers['user-agent']

  it('names the SDK, its version and the runtime', async () => {
    expect(await agentOf()).toMatch(/^lead-distribution-publisher\/\d+\.\d+\.\d+ node\/\d+$/)
  })

  it('is left to a browser, which sends its own', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0' })
    vi.stubGlobal('process', undefined)
    const agent = await agentOf({ dangerouslyAllowBrowser: true })
    expect(agent).not.toContain('lead-distribution')
  })

  it("names Node under jsdom, which has a browser's navigator", async () => {
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (linux) jsdom/26' })
    expect(await agentOf()).toMatch(/^lead-distribution-publisher\/[\d.]+ node\/\d+$/)
  })

  it('omits a runtime that does not identify itself', async () => {
    vi.stubGlobal('navigator', undefined)
    expect(await agentOf()).toMatch(/^lead-distribution-publisher\/[\d.]+$/)
  })
})
