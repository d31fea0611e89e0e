import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { PostbackUrl } from './postback-url.ts'

const baseUrl = 'https://acme.example.com/api/v1'
const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const bare = `${baseUrl}/lead/${lead_id}/status`
const parse = (raw: string) => PostbackUrl.parse(raw, { baseUrl })

describe('parsing', () => {
  it.each(['hunter2', 'a~b', 'YWJj+/==', 'a%2Fb%20c', "it's", 'a:b|c^d`e', '%7e%7E', '%E0%A4%A'])(
    'keeps the token %s as it is written',
    token => {
      const raw = `${bare}?token=${token}`
      expect(parse(raw).expose()).toBe(raw)
      expect(parse(raw).reporting('approved', 'r').expose()).toBe(`${raw}&event=approved&ref=r`)
      expect(parse(raw).lead_id).toBe(lead_id)
    },
  )

  it('accepts a base URL with a slash at its end, and one without a path', () => {
    expect(PostbackUrl.parse(`${bare}?token=t`, { baseUrl: `${baseUrl}/` }).lead_id).toBe(lead_id)
    const root = 'http://127.0.0.1:4010'
    expect(PostbackUrl.parse(`${root}/lead/${lead_id}/status?token=t`, { baseUrl: root }).lead_id).toBe(lead_id)
  })

  it.each([
    ['no URL', 'hunter2'],
    ['spaces around it', ` ${bare}?token=hunter2`],
    ['a line break', `${bare}?token=hun\nter2`],
    ['another host', `https://evil.example/api/v1/lead/${lead_id}/status?token=hunter2`],
    ['another port', `https://acme.example.com:8443/api/v1/lead/${lead_id}/status?token=hunter2`],
    ['no TLS', `http://acme.example.com/api/v1/lead/${lead_id}/status?token=hunter2`],
    ['a host in the credentials', `https://acme.example.com@evil.example/api/v1/lead/${lead_id}/status?token=hunter2`],
    ['credentials', `https://u:p@acme.example.com/api/v1/lead/${lead_id}/status?token=hunter2`],
    ['a backslash', `https://acme.example.com\\@evil.example/api/v1/lead/${lead_id}/status?token=hunter2`],
    ['a fragment', `${bare}?token=hunter2#`],
    ['another path', `${baseUrl}/lead/${lead_id}?token=hunter2`],
    ['a longer path', `${bare}/more?token=hunter2`],
    ['a path that climbs', `${baseUrl}/lead/${lead_id}/status/../../../lead?token=hunter2`],
    ['another base path', `https://acme.example.com/api/v2/lead/${lead_id}/status?token=hunter2`],
    ['no UUID', `${baseUrl}/lead/hunter2/status?token=hunter2`],
    ['no token', bare],
    ['an empty token', `${bare}?token=`],
    ['two tokens', `${bare}?token=hunter2&token=hunter2`],
    ['two events', `${bare}?token=hunter2&event=approved&event=approved`],
  ])('refuses %s, and repeats nothing of it', (_name, raw) => {
    expect(() => parse(raw)).toThrow(
      expect.objectContaining({ code: 'config', message: expect.not.stringMatching(/hunter2|evil|3f2b8c1e/) }),
    )
  })
})

describe('reporting', () => {
  it('encodes the reference', () => {
    expect(parse(`${bare}?token=t`).reporting('approved', 'a b&event=x~é').expose()).toBe(
      `${bare}?token=t&event=approved&ref=a%20b%26event%3Dx~%C3%A9`,
    )
  })

  it.each(['approved', 'loan_issued'])('sends the event %s as it stands where the URL carries it already', event => {
    const raw = `${bare}?event=${event}&token=t&ref=r`
    expect(parse(raw).reporting('approved', 'r').expose()).toBe(raw)
    expect(parse(raw).reporting('loan_issued').expose()).toBe(raw)
  })

  it('appends nothing twice after a query that ends openly', () => {
    expect(parse(`${bare}?token=t&`).reporting('approved').expose()).toBe(`${bare}?token=t&event=approved`)
  })

  it('refuses another event or reference than the URL carries, and a reference that is too long', () => {
    expect(() => parse(`${bare}?token=t&event=rejected`).reporting('approved')).toThrow('another event already')
    expect(() => parse(`${bare}?token=t&ref=r`).reporting('approved', 's')).toThrow('another `ref` already')
    expect(() => parse(`${bare}?token=t`).reporting('approved', 'r'.repeat(256))).toThrow('at most 255')
  })
})

it('shows no token wherever it is printed', () => {
  const url = parse(`${bare}?token=hunter2`)
  const shown = [
    String(url),
    `${url}`,
    JSON.stringify({ url }),
    inspect(url),
    inspect({ url }, { depth: Number.POSITIVE_INFINITY, showHidden: true }),
    inspect(url, { customInspect: false, showHidden: true }),
    JSON.stringify(Object.entries(url)),
  ].join()
  expect(shown).not.toContain('hunter2')
  expect(shown).toContain('redacted')
})
