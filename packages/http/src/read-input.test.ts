import { runInNewContext } from 'node:vm'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BodyReader } from './http-message.ts'
import { findJsonError } from './malformed-json.ts'
import { readJson } from './read-input.ts'
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

describe('the content type of a body', () => {
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
  ])('gets a 415 if it is %s', async type => {
    expect((await typed(type)).refused).toMatchObject({
      status: 415,
      body: { error: 'unsupported_media_type', message: expect.stringContaining('content-type: application/json') },
    })
  })

  it.each(['gzip', 'br', 'deflate', 'x-unknown', 'identity, gzip'])(
    'gets a 415 with the content encoding %s',
    async encoding => {
      const { refused } = await typed('application/json', { 'content-encoding': encoding })
      expect([refused?.status, refused?.body.message]).toEqual([415, 'Send the body without a content-encoding.'])
    },
  )

  it('allows the encoding identity', async () => {
    expect(await typed('application/json', { 'content-encoding': 'Identity' })).toEqual({ value: {} })
  })
})

describe('the size of a body', () => {
  it.each([
    [99, undefined],
    [100, undefined],
    [101, 413],
    [10_000, 413],
  ])('of %i bytes gets %s with a limit of 100', async (size, status) => {
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

  it('is checked before the text', async () => {
    expect((await read('{'.repeat(101))).refused?.status).toBe(413)
  })
})

it("accepts bytes from another realm, such as jsdom's, with the same limit", async () => {
  const foreign = (size: number) => runInNewContext('new Uint8Array(size).fill(0x37)', { size })
  expect(await readJson(httpRequest('POST', '/', { body: foreign(3) }), limit)).toEqual({ value: 777 })
  expect((await readJson(httpRequest('POST', '/', { body: foreign(101) }), limit)).refused?.status).toBe(413)
})

describe('the text of a body', () => {
  const malformed = (issue: string) => ({
    status: 400,
    body: {
      error: 'malformed_json',
      message: 'Send well-formed JSON in UTF-8.',
      details: [{ field: 'body', issue }],
    },
  })

  it.each([
    ['', 'is not JSON: found the end of the text at line 1, column 1'],
    ['{', 'is not JSON: found the end of the text at line 1, column 2'],
    ['{"a":1,}', 'is not JSON: found "}" at line 1, column 8'],
    ['undefined', 'is not JSON: found "u" at line 1, column 1'],
    ['<xml/>', 'is not JSON: found "<" at line 1, column 1'],
    ['{\r\n  "Núñez 𝔄": 01\r\n}', 'is not JSON: found "1" at line 2, column 15'],
    ['{"a": 1}\n{"b": 2}', 'is not JSON: found "{" at line 2, column 1'],
    ["{'a': 1}", 'is not JSON: found "\'" at line 1, column 2'],
    ['["a\tb"]', 'is not JSON: found "\\t" at line 1, column 4'],
    ['[𝔄]', 'is not JSON: found "𝔄" at line 1, column 2'],
  ])('gets a 400 if it is %j', async (text, issue) => {
    expect((await read(text)).refused).toEqual(malformed(issue))
  })

  it.each([
    ['an invalid UTF-8 byte', [0x22, 0xff, 0x22], 'byte 0xff at line 1, column 2'],
    ['a character without its second byte', [0x22, 0xc3, 0x22], 'byte 0xc3 at line 1, column 2'],
    ['a truncated character', [0x22, 0x0a, 0xef, 0xbf], 'part of a character at line 2, column 2'],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22], 'byte 0xed at line 1, column 2'],
  ])('gets a 400 if it contains %s', async (_title, body, found) => {
    expect((await bytes(...body)).refused).toEqual(malformed(`is not UTF-8: found ${found}`))
  })

  it('is refused at the position where it stops being JSON', async () => {
    const cut = fc.tuple(fc.json(), fc.nat(), fc.constantFrom('', '}', ']', ',', ':', '"', '0', 'x', '\\', '\n'))
    await fc.assert(
      fc.property(cut, ([text, place, change]) => {
        const at = place % (text.length + 1)
        const changed = text.slice(0, at) + change + text.slice(at + 1)
        let message = ''
        try {
          JSON.parse(changed)
        } catch (error) {
          message = (error as Error).message
        }
        // V8 reports the position, except at the end and for a text that it quotes in full.
        const position = /at position (\d+)/.exec(message)?.[1]
        if (position !== undefined) expect(findJsonError(changed)).toBe(Number(position))
        if (/Unexpected end/.test(message)) expect(findJsonError(changed)).toBe(changed.length)
      }),
      { numRuns: 500 },
    )
  })

  it('may begin with a byte order mark', async () => {
    expect(await bytes(0xef, 0xbb, 0xbf, 0x7b, 0x7d)).toEqual({ value: {} })
  })

  it('may be any JSON value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async value => {
        const text = JSON.stringify(value)
        expect(await read(text, 1_000_000)).toEqual({ value: JSON.parse(text) })
      }),
      { numRuns: 100 },
    )
  })

  it('may nest ten thousand levels deep', async () => {
    const text = '['.repeat(10_000) + ']'.repeat(10_000)
    expect((await read(text, 1_000_000)).refused).toBeUndefined()
  })
})

describe('a body that is read on demand', () => {
  const reading = async (came: Awaited<ReturnType<BodyReader>>, headers = { 'content-type': 'application/json' }) => {
    const asked: number[] = []
    const body: BodyReader = async maxBytes => {
      asked.push(maxBytes)
      return came
    }
    return { read: await readJson(httpRequest('POST', '/', { body, headers }), limit), asked }
  }

  it('is read up to the limit', async () => {
    const body = new TextEncoder().encode('{"a":1}')
    expect(await reading(body)).toEqual({ read: { value: { a: 1 } }, asked: [100] })
  })

  it('is not read if its type is refused', async () => {
    const { read, asked } = await reading(new Uint8Array(), { 'content-type': 'text/plain' })
    expect([read.refused?.status, asked]).toEqual([415, []])
  })

  it('gets a 413 if its reader finds it too large', async () => {
    expect((await reading('too-large')).read.refused?.status).toBe(413)
  })

  it("gets its reader's response if it can't be read", async () => {
    const response = { status: 503, body: { error: 'overloaded' } }
    expect((await reading(response)).read).toEqual({ unread: response })
  })
})

describe('an optional body', () => {
  const optional = (text: string, headers = {}) =>
    readJson(httpRequest('POST', '/', { text, headers }), { ...limit, optionalBody: true })

  it('counts as an empty object without a text and a type', async () => {
    expect(await optional('')).toEqual({ value: {} })
  })

  it('is required unless an operation says otherwise', async () => {
    expect((await readJson(httpRequest('POST', '/', { headers: {} }), limit)).refused?.status).toBe(415)
  })

  it.each([
    ['without a type', '{}', {}, 415],
    ['without a text', '', { 'content-type': 'application/json' }, 400],
  ])('is refused %s', async (_title, text, headers, status) => {
    expect((await optional(text, headers)).refused?.status).toBe(status)
  })
})
