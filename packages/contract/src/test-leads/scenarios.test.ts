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
  ])('of status %i has the code %s', (status, error) => {
    expect(forcedError(status)).toMatchObject({ status, body: { error, message: expect.any(String) } })
  })

  it('has a Retry-After only if set, even to zero', () => {
    expect(forcedError(429).headers).toBeUndefined()
    expect(forcedError(429, 0).headers).toEqual({ 'retry-after': '0' })
    expect(forcedError(503, 30).headers).toEqual({ 'retry-after': '30' })
  })
})
