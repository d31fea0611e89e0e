import { expect, it } from 'vitest'
import { errorStatus, validationError, wireError } from './wire-error.ts'

it('gives each error code its status', () => {
  expect(errorStatus).toEqual({
    validation_error: 400,
    malformed_json: 400,
    unauthorized: 401,
    not_found: 404,
    method_not_allowed: 405,
    payload_too_large: 413,
    unsupported_media_type: 415,
    consents_missing: 422,
    invalid_product: 422,
    publisher_mismatch: 422,
    internal_error: 500,
  })
})

it('leaves out the details where there are none', () => {
  expect(wireError('not_found', 'No such lead.')).toEqual({
    status: 404,
    body: { error: 'not_found', message: 'No such lead.' },
  })
})

it('names every field in the details, and the first five in the message', () => {
  const details = ['a', 'b', 'c', 'd', 'e', 'f'].map(field => ({ field, issue: 'is required' }))
  const { status, body } = validationError(details)
  expect([status, body.error, body.details]).toEqual([400, 'validation_error', details])
  expect(body.message).toContain('a, b, c, d, e.')
})
