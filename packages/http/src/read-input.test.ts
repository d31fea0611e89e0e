import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readJson } from './read-input.ts'
import { httpRequest } from './request.fixture.ts'

const typed = (type: string | undefined, more: Record<string, string> = {}) =>
  readJson(
    httpRequest('POST', '/', {
      text: '{}',
      headers: { ...(type === undefined ? {} : { 'content-type': type }), ...more },
    }),
    100,
  )
const bytes = (...body: number[]) => readJson(httpRequest('POST', '/', { body: Uint8Array.from(body) }), 100)

describe('the type of a body', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json ; charset = utf-8',
    'application/json;',
  ])('may be %s', type => {
    expect(typed(type)).toEqual({ value: {} })
  })

  it.each([
    undefined,
    '',
    'text/plain',
    'text/json',
    'application/jsonp',
    'application/json-patch+json',
    'application/problem+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'application/json, text/plain',
    'xapplication/json',
    '*/*',
  ])('is refused with 415 where it is %s', type => {
    expect(typed(type).refused).toMatchObject({ status: 415, body: { error: 'unsupported_media_type' } })
  })

  it.each(['gzip', 'br', 'deflate', 'x-unknown', 'identity, gzip'])(
    'is refused with 415 where it is encoded by %s',
    encoding => {
      expect(typed('application/json', { 'content-encoding': encoding }).refused?.status).toBe(415)
    },
  )

  it('may be encoded by nothing, and say so', () => {
    expect(typed('application/json', { 'content-encoding': 'Identity' })).toEqual({ value: {} })
  })
})

describe('the size of a body', () => {
  it.each([
    [99, undefined],
    [100, undefined],
    [101, 413],
    [10_000, 413],
  ])('of %i bytes, with a limit of 100, is answered with %s', (size, status) => {
    const text = JSON.stringify('x'.repeat(size - 2))
    const { refused } = readJson(httpRequest('POST', '/', { text }), 100)
    expect(refused?.status).toBe(status)
    if (refused)
      expect(refused.body).toEqual({ error: 'payload_too_large', message: expect.stringContaining('100 bytes') })
  })

  it('is counted in bytes, not in characters', () => {
    const text = JSON.stringify('ñ'.repeat(50))
    expect(readJson(httpRequest('POST', '/', { text }), 100).refused?.status).toBe(413)
    expect(readJson(httpRequest('POST', '/', { text }), 102).refused).toBeUndefined()
  })

  it('is judged before the text', () => {
    expect(readJson(httpRequest('POST', '/', { text: '{'.repeat(101) }), 100).refused?.status).toBe(413)
  })
})

describe('the text of a body', () => {
  it.each([
    '',
    ' ',
    '{',
    '}',
    '{"a":}',
    "{'a':1}",
    '{"a":1,}',
    'undefined',
    'NaN',
    '01',
    '{"a":1}{"b":2}',
    '// no',
    '"\u0001"',
    '<xml/>',
  ])('is refused with 400 where it is %j', text => {
    expect(readJson(httpRequest('POST', '/', { text }), 100).refused).toMatchObject({
      status: 400,
      body: { error: 'malformed_json', message: expect.any(String) },
    })
  })

  it.each([
    ['a byte that is no UTF-8', [0x22, 0xff, 0x22]],
    ['a character that is cut short', [0x22, 0xc3, 0x22]],
    ['an overlong character', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('is refused with 400 where it holds %s', (_title, body) => {
    expect(bytes(...body).refused?.body.error).toBe('malformed_json')
  })

  it('may begin with a byte order mark', () => {
    expect(bytes(0xef, 0xbb, 0xbf, 0x7b, 0x7d)).toEqual({ value: {} })
  })

  it('is any JSON value', async () => {
    await fc.assert(
      fc.property(fc.jsonValue(), value => {
        const text = JSON.stringify(value)
        expect(readJson(httpRequest('POST', '/', { text }), 1_000_000)).toEqual({ value: JSON.parse(text) })
      }),
      { numRuns: 100 },
    )
  })

  it('may nest ten thousand deep', () => {
    const text = '['.repeat(10_000) + ']'.repeat(10_000)
    expect(readJson(httpRequest('POST', '/', { text }), 1_000_000).refused).toBeUndefined()
  })
})
