import { describe, expect, it } from 'vitest'
import { CallbackRefusedError } from './callback-refused-error.ts'
import { readMessage, readRequest } from './callback-request.ts'

describe('the target of a request', () => {
  it.each([
    ['/cb/secret?next=https://other.example/x', '/cb/secret?next=https://other.example/x'],
    ['HTTPS://publisher.example/cb?x=1', '/cb?x=1'],
    ['https://publisher.example?x=1', '/?x=1'],
    ['cb?x=1', '/cb?x=1'],
  ])('%s is read as %s', (url, target) => {
    const read = readRequest({ url, headers: {} })
    expect([read?.target, read?.request.url]).toEqual([target, `http://callback.invalid${target}`])
  })

  it('is / for a node:http request without one', () => {
    expect(readMessage({ headers: {}, socket: {} })?.target).toBe('/')
  })
})

describe('the method of a request', () => {
  it.each([
    [undefined, 'GET'],
    ['HEAD', 'HEAD'],
    ['TRACE', 'POST'],
    ['XTRACE', 'XTRACE'],
    ['TRACEX', 'TRACEX'],
  ])('%s is read as %s', (method, read) => {
    expect(readRequest({ method, url: '/', headers: {} })?.request.method).toBe(read)
  })
})

it('rejects headers in a string', () => {
  expect(() => readRequest({ url: '/cb', headers: 'webhook-id: a' } as never)).toThrow(
    'Pass the request of the callback',
  )
})

it('reads a header with one value, and skips one with several', () => {
  const headers = { 'webhook-id': ['a', 'b'], 'Webhook-Timestamp': '1', cookie: 'c' }
  const read = readRequest({ url: '/', headers })
  expect([...(read?.request.headers ?? [])]).toEqual([['webhook-timestamp', '1']])
})

describe('CallbackRefusedError', () => {
  it('has a documentation page', () => {
    const { docUrl } = new CallbackRefusedError({ status: 404, reason: 'wrong secret' })
    expect(docUrl).toMatch(/\/docs\/errors\/sdk\/callback_refused\.md$/)
  })

  it('is recognized from another copy of the package', () => {
    const brand = Symbol.for('@lead-distribution/callback-refused')
    expect([CallbackRefusedError.is({ [brand]: true }), CallbackRefusedError.is(new Error())]).toEqual([true, false])
  })
})
