import { format, inspect } from 'node:util'
import { acceptedPixelEvents } from '@lead-distribution/contract'
import { ConfigError } from '@lead-distribution/sdk-core/errors'
import { describe, expect, it } from 'vitest'
import { type Postback, PostbackUrl, postbackText } from './postback-url.ts'
import type { Vocabulary } from './report.ts'

const baseUrl = 'https://acme.example.com/api/v1'
const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const bare = `${baseUrl}/lead/${lead_id}/status`
const parse = (raw: string) => PostbackUrl.parse(raw, { baseUrl })

describe('parsing', () => {
  it.each(['hunter2', 'a~b', 'YWJj+/==', 'a%2Fb%20c', 'a:b|c^d`e', '%7e%7E', '%E0%A4%A'])(
    'keeps the token %s unchanged',
    token => {
      const raw = `${bare}?token=${token}`
      expect(parse(raw).expose()).toBe(raw)
      expect(parse(raw).lead_id).toBe(lead_id)
    },
  )

  it('accepts a base URL with a trailing slash or without a path', () => {
    expect(PostbackUrl.parse(`${bare}?token=t`, { baseUrl: `${baseUrl}/` }).lead_id).toBe(lead_id)
    const root = 'http://127.0.0.1:4010'
    expect(PostbackUrl.parse(`${root}/lead/${lead_id}/status?token=t`, { baseUrl: root }).lead_id).toBe(lead_id)
  })

  it('accepts equivalent spellings of host and port', () => {
    const rest = `/api/v1/lead/${lead_id}/status?token=t`
    for (const origin of ['https://acme.example.com:443', 'HTTPS://ACME.Example.COM', 'https://acme.example.com'])
      expect(parse(`${origin}${rest}`).expose()).toBe(`${origin}${rest}`)
    expect(PostbackUrl.parse(`http://h:80${rest}`, { baseUrl: 'http://h/api/v1/' }).lead_id).toBe(lead_id)
    expect(() => parse(`https://acme.example.com.${rest}`)).toThrow('another host')
  })

  it('accepts an event of either vocabulary, and a reference of 255 characters', () => {
    for (const rest of ['event=loan_paid', 'event=approved', 'ref=', `ref=${'r'.repeat(255)}`, 'sub=1'])
      expect(parse(`${bare}?token=t&${rest}`).lead_id).toBe(lead_id)
  })

  it.each([undefined, null, 7, {}, new URL(`${bare}?token=hunter2`)])('rejects %o, which is not a string', value => {
    expect(() => parse(value as never)).toThrow(ConfigError)
  })

  it.each([
    ['a relative URL', 'hunter2'],
    ['surrounding spaces', ` ${bare}?token=hunter2`],
    ['a line break', `${bare}?token=hun\nter2`],
    ['another host', `https://evil.example/api/v1/lead/${lead_id}/status?token=hunter2`],
    ['another port', `https://acme.example.com:8443/api/v1/lead/${lead_id}/status?token=hunter2`],
    ['no TLS', `http://acme.example.com/api/v1/lead/${lead_id}/status?token=hunter2`],
    [
      'a host disguised as credentials',
      `https://acme.example.com@evil.example/api/v1/lead/${lead_id}/status?token=hunter2`,
    ],
    ['an empty user', `https://@acme.example.com/api/v1/lead/${lead_id}/status?token=hunter2`],
    ['an empty user and password', `https://:@acme.example.com/api/v1/lead/${lead_id}/status?token=hunter2`],
    ['a character in the token that every fetch rewrites', `${bare}?token=hunter2's`],
    ['credentials', `https://u:p@acme.example.com/api/v1/lead/${lead_id}/status?token=hunter2`],
    ['a backslash', `https://acme.example.com\\@evil.example/api/v1/lead/${lead_id}/status?token=hunter2`],
    ['a fragment', `${bare}?token=hunter2#`],
    ['another path', `${baseUrl}/lead/${lead_id}?token=hunter2`],
    ['a longer path', `${bare}/more?token=hunter2`],
    ['a path with dot segments', `${baseUrl}/lead/${lead_id}/status/../../../lead?token=hunter2`],
    ['a path with dot segments that lead back to it', `${baseUrl}/lead/x/../${lead_id}/status?token=hunter2`],
    ['two slashes in the path', `https://acme.example.com//api/v1/lead/${lead_id}/status?token=hunter2`],
    ['one slash after the scheme', `https:/acme.example.com/api/v1/lead/${lead_id}/status?token=hunter2`],
    ['three slashes after the scheme', `https:///acme.example.com/api/v1/lead/${lead_id}/status?token=hunter2`],
    ['a slash at the end of the path', `${bare}/?token=hunter2`],
    ['an escaped path', `${baseUrl}/lead/%33${lead_id.slice(1)}/status?token=hunter2`],
    ['capital letters in the path', `${baseUrl}/Lead/${lead_id}/status?token=hunter2`],
    ['characters that fetch would rewrite', `${bare}?token=<hunter2>`],
    ['a non-ASCII letter', `${bare}?token=hunter2é`],
    ['an API key', `${bare}?token=hunter2&apikey=hunter2`],
    ['another base path', `https://acme.example.com/api/v2/lead/${lead_id}/status?token=hunter2`],
    ['a lead id that is not a UUID', `${baseUrl}/lead/hunter2/status?token=hunter2`],
    ['no token', bare],
    ['an empty query', `${bare}?`],
    ['the token after a fragment', `${bare}#?token=hunter2`],
    ['an empty token', `${bare}?token=`],
    ['two tokens', `${bare}?token=hunter2&token=hunter2`],
    ['two events', `${bare}?token=hunter2&event=approved&event=approved`],
    ['an unrelated parameter repeated', `${bare}?token=hunter2&sub=1&sub=2`],
    ['an unfilled token placeholder', `${bare}?token={hunter2}`],
    ['a key in place of the token', `${bare}?token=sandbox_hunter2`],
    ['an unfilled event placeholder', `${bare}?token=hunter2&event={event}`],
    ['an empty event', `${bare}?token=hunter2&event=`],
    ['a status that is not an event', `${bare}?token=hunter2&event=converted`],
    ['a reference of 256 characters', `${bare}?token=hunter2&ref=${'r'.repeat(256)}`],
  ])('rejects %s without repeating any of it', (_name, raw) => {
    expect(() => parse(raw)).toThrow(
      expect.objectContaining({ code: 'config', message: expect.not.stringMatching(/hunter2|evil|3f2b8c1e/) }),
    )
  })
})

describe('the error for a URL', () => {
  it.each([
    ['hunter2', 'is not an absolute URL without spaces and quotes'],
    [`x${bare}?token=t`, 'is not an absolute URL without spaces and quotes'],
    [`${bare}?token=t&apikey=k`, 'has an API key, which does not belong in a URL'],
    [bare, 'has no token'],
    [`${bare}?token={token}`, 'has a placeholder instead of a token'],
    [`${bare}?token=sandbox_k`, 'has an API key instead of a token'],
    [`${bare}?token=t&token=t`, 'has a parameter more than once'],
    [`${bare}?token=t&event=converted`, 'has an unknown event'],
    [`${bare}?token=t&ref=${'r'.repeat(256)}`, 'has a `ref` of more than 255 characters'],
  ])('explains the problem with %s', (raw, wrong) => {
    expect(() => parse(raw)).toThrow(`The postback URL ${wrong}. Use it exactly as it was delivered with the lead.`)
  })
})

describe('the token', () => {
  const url = parse(`${bare}?token=hunter2`)

  it.each<[string, () => unknown]>([
    ['String()', () => String(url)],
    ['a template', () => `${url}`],
    ['concatenation', () => ''.concat(url as unknown as string)],
    ['a join', () => [url, url].join()],
    ['an object key', () => Object.keys({ [url as unknown as string]: 1 })],
    ['JSON', () => JSON.stringify({ url, list: [url], map: Object.fromEntries([['url', url]]) })],
    ['inspect', () => inspect(url)],
    ['inspect in depth', () => inspect({ url }, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true })],
    ['format', () => format('%s %o %O %j %d', url, url, url, url, url)],
    ['an error', () => inspect(new Error(`failed for ${url}`, { cause: url }), { showHidden: true })],
    ['toLocaleString', () => url.toLocaleString()],
  ])('is redacted by %s', (_name, shown) => {
    expect(inspect(shown(), { showHidden: true })).toMatch(/^(?!.*hunter2).*redacted/s)
  })

  it.each<[string, () => unknown]>([
    ['inspect without custom formatting', () => inspect(url, { customInspect: false, showHidden: true })],
    ['its own properties', () => Reflect.ownKeys(url).map(key => Reflect.get(url, key))],
    ['a spread', () => ({ ...url })],
    ['a structured clone', () => structuredClone(url)],
    ['Object.entries', () => Object.entries(url)],
  ])('is not in %s, although the lead id is', (_name, copied) => {
    const text = inspect(copied(), { showHidden: true, depth: Number.POSITIVE_INFINITY })
    expect(text).not.toContain('hunter2')
    expect(text).toContain(lead_id)
  })
})

const text = (raw: string, postback: Postback<Vocabulary>, events: readonly string[] = acceptedPixelEvents) =>
  postbackText(PostbackUrl.parse(raw, { baseUrl }), postback, events)

describe('the appended event', () => {
  it('is joined with one & even if the query ends with &', () => {
    expect(text(`${bare}?token=t&`, { event: 'approved' })).toBe(`${bare}?token=t&event=approved`)
    expect(text(`${bare}?&token=t&&`, { event: 'approved' })).toBe(`${bare}?&token=t&&event=approved`)
  })

  it('keeps the given name', () => {
    expect(text(`${bare}?token=t`, { event: 'loan_issued' })).toBe(`${bare}?token=t&event=loan_issued`)
  })
})

describe('an event or reference in the URL', () => {
  it.each(['approved', 'loan_issued'] as const)('is sent unchanged if the event is the same: %s', event => {
    const raw = `${bare}?event=${event}&token=t&ref=r%20s`
    expect(text(raw, { event: 'approved', ref: 'r s' })).toBe(raw)
    expect(text(raw, { event: 'loan_issued' })).toBe(raw)
  })

  it.each([
    ['event=rejected', {}],
    ['%65vent=rejected', {}],
    ['event=', {}],
    ['event={event}', {}],
    ['event=Approved', {}],
    ['ref=r', { ref: 's' }],
    ['ref=', { ref: 's' }],
  ])('is not overwritten: %s', (carried, more) => {
    expect(() => text(`${bare}?token=t&${carried}`, { event: 'approved', ...more })).toThrow(ConfigError)
  })
})
