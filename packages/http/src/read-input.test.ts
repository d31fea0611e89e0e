import { runInNewContext } from 'node:vm'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BodyReader } from './http-message.ts'
import { readJson } from './http-message.ts'
import { httpRequest } from './request.fixture.ts'

const limit = { maxBodyBytes: 100 }
const typed = (type: string | undefined, more: Record<string, string> = {}) =>
  readJson(
    httpRequest('POST', '/', {
      text: '{}',
      headers: { ...(type === undefined ? {} : { 'content-type': type }), ...more },
    }),
    limit,
  )
const bytes = (...body: number[]) => readJson(httpRequest('POST', '/', { body: Uint8Array.from(body) }), limit)
const read = (text: string, maxBodyBytes = 100) => readJson(httpRequest('POST', '/', { text }), { maxBodyBytes })

describe('the type of a body', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json ; charset = utf-8',
    'application/json;',
  ])('may be %s', async type => {
    expect(await typed(type)).toEqual({ value: {} })
  })

  it.each([
    undefined,
    '',
    'text/plain',
    'application/jsonp',
    'application/problem+json',
    'application/x-www-form-urlencoded',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'application/json; charset=utf-8x',
    'application/json; boundary=x',
    'application/json, text/plain',
    'xapplication/json',
  ])('is refused with 415 where it is %s', async type => {
    expect((await typed(type)).refused).toMatchObject({
      status: 415,
      body: { error: 'unsupported_media_type', message: expect.stringContaining('content-type: application/json') },
    })
  })

  it.each(['gzip', 'br', 'deflate', 'x-unknown', 'identity, gzip'])(
    'is refused with 415 where it is encoded by %s',
    async encoding => {
      const { refused } = await typed('application/json', { 'content-encoding': encoding })
      expect([refused?.status, refused?.body.message]).toEqual([415, 'Send the body without a content-encoding.'])
    },
  )

  it('may be encoded by nothing, and say so', async () => {
    expect(await typed('application/json', { 'content-encoding': 'Identity' })).toEqual({ value: {} })
  })
})

describe('the size of a body', () => {
  it.each([
    [99, undefined],
    [100, undefined],
    [101, 413],
    [10_000, 413],
  ])('of %i bytes, with a limit of 100, is answered with %s', async (size, status) => {
    const text = JSON.stringify('x'.repeat(size - 2))
    const { refused } = await read(text)
    expect(refused?.status).toBe(status)
    if (refused)
      expect(refused.body).toEqual({ error: 'payload_too_large', message: expect.stringContaining('100 bytes') })
  })

  it('is counted in bytes, not in characters', async () => {
    const text = JSON.stringify('ñ'.repeat(50))
    expect((await read(text)).refused?.status).toBe(413)
    expect((await read(text, 102)).refused).toBeUndefined()
  })

  it('is judged before the text', async () => {
    expect((await read('{'.repeat(101))).refused?.status).toBe(413)
  })
})

it('takes the bytes of another global scope, such as that of jsdom, with the same limit', async () => {
  const foreign = (size: number) => runInNewContext('new Uint8Array(size).fill(0x37)', { size })
  expect(await readJson(httpRequest('POST', '/', { body: foreign(3) }), limit)).toEqual({ value: 777 })
  expect((await readJson(httpRequest('POST', '/', { body: foreign(101) }), limit)).refused?.status).toBe(413)
})

describe('the text of a body', () => {
  it.each(['', '{', '{"a":1,}', 'undefined', '<xml/>'])('is refused with 400 where it is %j', async text => {
    expect((await read(text)).refused).toMatchObject({
      status: 400,
      body: { error: 'malformed_json', message: 'Send well-formed JSON in UTF-8.' },
    })
  })

  it.each([
    ['a byte that is no UTF-8', [0x22, 0xff, 0x22]],
    ['a character that is cut short', [0x22, 0xc3, 0x22]],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
  ])('is refused with 400 where it holds %s', async (_title, body) => {
    expect((await bytes(...body)).refused?.body.error).toBe('malformed_json')
  })

  it('may begin with a byte order mark', async () => {
    expect(await bytes(0xef, 0xbb, 0xbf, 0x7b, 0x7d)).toEqual({ value: {} })
  })

  it('is any JSON value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async value => {
        const text = JSON.stringify(value)
        expect(await read(text, 1_000_000)).toEqual({ value: JSON.parse(text) })
      }),
      { numRuns: 100 },
    )
  })

  it('may nest ten thousand deep', async () => {
    const text = '['.repeat(10_000) + ']'.repeat(10_000)
    expect((await read(text, 1_000_000)).refused).toBeUndefined()
  })
})

describe('a body that is read once it is asked for', () => {
  const reading = async (came: Awaited<ReturnType<BodyReader>>, headers = { 'content-type': 'application/json' }) => {
    const asked: number[] = []
    const body: BodyReader = async maxBytes => {
      asked.push(maxBytes)
      return came
    }
    return { read: await readJson(httpRequest('POST', '/', { body, headers }), limit), asked }
  }

  it('is asked for up to the limit', async () => {
    const body = new TextEncoder().encode('{"a":1}')
    expect(await reading(body)).toEqual({ read: { value: { a: 1 } }, asked: [100] })
  })

  it('is not asked for where its type is refused', async () => {
    const { read, asked } = await reading(new Uint8Array(), { 'content-type': 'text/plain' })
    expect([read.refused?.status, asked]).toEqual([415, []])
  })

  it('is refused with 413 where its reader found it too large', async () => {
    expect((await reading('too-large')).read.refused?.status).toBe(413)
  })

  it('has the response of its reader where it could not be read', async () => {
    const response = { status: 503, body: { error: 'overloaded' } }
    expect((await reading(response)).read).toEqual({ unread: response })
  })
})

describe('a body that is optional', () => {
  const optional = (text: string, headers = {}) =>
    readJson(httpRequest('POST', '/', { text, headers }), { ...limit, optionalBody: true })

  it('is an empty object where neither it nor its type was sent', async () => {
    expect(await optional('')).toEqual({ value: {} })
  })

  it('is required unless an operation says so', async () => {
    expect((await readJson(httpRequest('POST', '/', { headers: {} }), limit)).refused?.status).toBe(415)
  })

  it.each([
    ['without a type', '{}', {}, 415],
    ['without a text', '', { 'content-type': 'application/json' }, 400],
  ])('is refused %s', async (_title, text, headers, status) => {
    expect((await optional(text, headers)).refused?.status).toBe(status)
  })
})
