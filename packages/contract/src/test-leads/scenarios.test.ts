import { describe, expect, it } from 'vitest'
import { forcedError } from './scenarios.ts'

describe('a forced error', () => {
  it.each([
    [400, 'validation_error'],
    [401, 'unauthorized'],
    [404, 'not_found'],
    [409, 'conflict'],
    [418, 'http_418'],
    [429, 'too_many_requests'],
    [500, 'internal_error'],
    [503, 'service_unavailable'],
  ])('has with %i the code %s', (status, error) => {
    expect(forcedError(status)).toMatchObject({ status, body: { error, message: expect.any(String) } })
  })

  it('says when to come again only where it is set to, zero too', () => {
    expect(forcedError(429).headers).toBeUndefined()
    expect(forcedError(429, 0).headers).toEqual({ 'retry-after': '0' })
    expect(forcedError(503, 30).headers).toEqual({ 'retry-after': '30' })
  })
})
