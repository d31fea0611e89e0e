import { getEventListeners } from 'node:events'
import { inspect } from 'node:util'
import { maxBodyBytes } from '@lead-distribution/contract'
import { errorResponse } from '@lead-distribution/contract/shapes'
import { describe, expect, it } from 'vitest'
import { bareClient, lead_id, tokenOf } from './fake-service.fixture.ts'

describe('a wrong request', () => {
  const { fake, leads, submit, report, pixel } = bareClient()
  const at = (path: string, init?: RequestInit) => fake.fetch(`${fake.baseUrl}${path}`, init)
  const withKey = (apikey: string) => ({ headers: { 'content-type': 'application/json', apikey } })
  const status = `/lead/${lead_id}/status`
  it.each<[string, number, string, () => Promise<Response>]>([
    ['path', 404, 'not_found', () => at('/leads', { method: 'POST' })],
    ['path, a slash too many', 404, 'not_found', () => at('/lead/', { method: 'POST' })],
    ['path, the version missing', 404, 'not_found', () => fake.fetch(new URL('/lead', fake.baseUrl))],
    ['method of a submission', 405, 'method_not_allowed', () => at('/lead')],
    ['method of a report', 405, 'method_not_allowed', () => at(status, { method: 'PUT' })],
    ['key: none', 401, 'unauthorized', () => submit(undefined, { headers: {} })],
    ['key: of nobody', 401, 'unauthorized', () => submit(undefined, withKey('hunter2'))],
    ['key: of the other scope', 401, 'unauthorized', () => submit(undefined, withKey(fake.advertiser.apiKey))],
    ['key: of the other scope', 401, 'unauthorized', () => report(undefined, withKey(fake.publisher.apiKey))],
    [
      'key: in the URL',
      401,
      'unauthorized',
      () => at(`/lead?apikey=${fake.publisher.apiKey}`, { method: 'POST', ...withKey(fake.publisher.apiKey) }),
    ],
    ['token: none', 401, 'unauthorized', () => pixel('approved', '')],
    ['token: of nobody', 401, 'unauthorized', () => pixel('approved', 'hunter2')],
    ['token, and event', 401, 'unauthorized', () => pixel('no_event', 'hunter2')],
    ['event', 400, 'validation_error', () => pixel('converted')],
    ['body: cut', 400, 'malformed_json', () => submit('{"product_id":')],
    ['body: empty', 400, 'malformed_json', () => submit('')],
    ['body: a list', 400, 'validation_error', () => submit('[]')],
    ['lead: an amount too low', 400, 'validation_error', () => submit(leads.validationError())],
    ['body: a byte too many', 413, 'payload_too_large', () => submit('{}'.padEnd(maxBodyBytes + 1))],
    [
      'body: not called JSON',
      415,
      'unsupported_media_type',
      () => submit('{}', { headers: { apikey: fake.publisher.apiKey } }),
    ],
    ['report: no status', 400, 'validation_error', () => report({})],
    ['report: an empty status', 400, 'validation_error', () => report({ status: '' })],
    ['report: null', 400, 'validation_error', () => report('null')],
    [
      'lead: no UUID',
      400,
      'validation_error',
      () => at('/lead/7/status', { method: 'POST', body: '{"status":"x"}', ...withKey(fake.advertiser.apiKey) }),
    ],
  ])('(%s) is refused with %i %s', async (_title, http, error, call) => {
    const reply = await call()
    const body = errorResponse.parse(await reply.json())
    expect([reply.status, body.error]).toEqual([http, error])
    expect(body.details !== undefined).toBe(error === 'validation_error')
    expect(reply.headers.has('allow')).toBe(http === 405)
  })
})

describe('the record', () => {
  it('holds what was sent, in its order, and of credentials only whether they were right', async () => {
    const { fake, leads, submit, report, pixel } = bareClient()
    const lead = leads.distributed()
    await Promise.all([submit(lead), submit('{', { headers: { apikey: 'hunter2' } }), report(), pixel('approved')])
    await pixel('approved', 'hunter2')
    await fake.fetch(`${fake.baseUrl}/nothing?apikey=hunter2&a=1`, { method: 'DELETE' })
    const right = { credential: 'right', query: {} }
    const path = `/lead/${lead_id}/status`
    expect(fake.requests).toEqual([
      { operation: 'submitLead', method: 'POST', path: '/lead', body: lead, ...right },
      { operation: 'submitLead', method: 'POST', path: '/lead', body: '{', credential: 'wrong', query: {} },
      { operation: 'reportStatus', method: 'POST', path, lead_id, body: { status: 'converted' }, ...right },
      {
        operation: 'reportEvent',
        method: 'GET',
        path,
        lead_id,
        body: undefined,
        credential: 'right',
        query: { event: 'approved' },
      },
      {
        operation: 'reportEvent',
        method: 'GET',
        path,
        lead_id,
        body: undefined,
        credential: 'wrong',
        query: { event: 'approved' },
      },
      {
        operation: undefined,
        method: 'DELETE',
        path: '/nothing',
        body: undefined,
        credential: 'missing',
        query: { a: '1' },
      },
    ])
    const shown = inspect(fake.requests, { depth: 9, showHidden: true })
    for (const secret of ['hunter2', fake.publisher.apiKey, fake.advertiser.apiKey, await tokenOf()])
      expect(shown).not.toContain(secret)
  })

  it('is the same for every form that fetch takes', async () => {
    const { fake, leads } = bareClient()
    const url = `${fake.baseUrl}/lead`
    const headers = { apikey: fake.publisher.apiKey, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(leads.new()) }
    const forms = [
      () => fake.fetch(url, init),
      () => fake.fetch(new URL(url), init),
      () => fake.fetch(new Request(url, init)),
    ]
    for (const form of forms) expect((await form()).status).toBe(200)
    expect(new Set(fake.requests.map(request => JSON.stringify(request))).size).toBe(1)
  })

  it('is what a function gets that makes the reply', async () => {
    const { fake, leads, submit } = bareClient()
    fake.next(({ operation, body }) => Response.json({ operation, body }))
    const lead = leads.distributed()
    expect(await (await submit(lead)).json()).toEqual({ operation: 'submitLead', body: lead })
  })
})

describe('a fault', () => {
  it.each([
    ['refused', 'ECONNREFUSED', 0],
    ['reset', 'ECONNRESET', 1],
    ['lost_reply', 'ECONNRESET', 1],
  ] as const)('%s rejects as fetch does: %s', async (name, code, reached) => {
    const { fake, submit } = bareClient()
    fake.next(name)
    const error = await submit().then(null, reason => reason)
    expect(error).toBeInstanceOf(TypeError)
    expect(error).toMatchObject({ message: 'fetch failed', cause: { code } })
    expect(fake.requests).toHaveLength(reached)
  })

  it.each([
    ['reset', 'received'],
    ['lost_reply', 'ignored'],
    ['malformed', 'ignored'],
  ] as const)('%s: a report that is sent again is %s', async (name, status) => {
    const { fake, pixel } = bareClient()
    fake.next(name)
    await pixel()
      .then(reply => reply.json())
      .catch(() => {})
    expect(await (await pixel()).json()).toMatchObject({ status })
  })

  it('malformed gives half of the reply', async () => {
    const { fake, submit } = bareClient()
    fake.next('malformed')
    const reply = await submit()
    expect(reply.status).toBe(200)
    await expect(reply.json()).rejects.toThrow(SyntaxError)
  })

  it('timeout waits until the signal ends it, with its reason, and leaves no listener', async () => {
    const { fake, submit } = bareClient()
    fake.next('timeout')
    const control = new AbortController()
    const call = submit(undefined, { signal: control.signal })
    expect(getEventListeners(control.signal, 'abort')).toHaveLength(1)
    const reason = new Error('the test gave up')
    control.abort(reason)
    await expect(call).rejects.toBe(reason)
    expect(getEventListeners(control.signal, 'abort')).toHaveLength(0)
    expect(fake.requests).toHaveLength(1)
  })

  it('is none of a call that was aborted before', async () => {
    const { fake, submit } = bareClient()
    const request = new Request(`${fake.baseUrl}/lead`, { signal: AbortSignal.abort() })
    await expect(submit(undefined, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
    await expect(fake.fetch(request)).rejects.toMatchObject({ name: 'AbortError' })
    expect(fake.requests).toHaveLength(0)
  })
})
