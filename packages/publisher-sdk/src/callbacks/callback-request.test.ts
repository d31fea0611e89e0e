import { describe, expect, it } from 'vitest'
import { CallbackRefusedError } from './callback-refused-error.ts'
import { readRequest } from './callback-request.ts'

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

  it('is that of an event of AWS Lambda, which may have a parameter without values', () => {
    const event = { path: '/cb', httpMethod: 'GET', headers: null, requestContext: {} }
    const multiValueQueryStringParameters = { a: undefined, b: ['1', '2'] }
    expect(readRequest({ ...event, multiValueQueryStringParameters })?.target).toBe('/cb?b=1&b=2')
  })
})

describe('CallbackRefusedError', () => {
  it('has a page', () => {
    const { docUrl } = new CallbackRefusedError({ status: 404, reason: 'wrong secret' })
    expect(docUrl).toMatch(/\/docs\/errors\/sdk\/callback_refused\.md$/)
  })

  it('is recognized from another copy of the package', () => {
    const brand = Symbol.for('@lead-distribution/callback-refused')
    expect([CallbackRefusedError.is({ [brand]: true }), CallbackRefusedError.is(new Error())]).toEqual([true, false])
  })
})
