import { describe, expect, it } from 'vitest'
import { harmlessHeaders, sensitiveIn } from './redact.ts'

const lead = {
  product_id: '11111111-1111-4111-8111-111111111111',
  customer: {
    personal_data: { first_name: 'Ana María', last_name: 'García', birth_date: '1990-02-03' },
    contact: { email: { address: 'ana@example.com' }, phone: { number: 600123456 } },
  },
  consents: { entries: [{ type: 'email', accepted: true }] },
}
const url = 'https://a.example/lead'
const key = new Headers({ apikey: 'sandbox_hunter2' })
// Created anew for each text, because it caches the split words.
const isSensitive = (text: string) => sensitiveIn(url, key, JSON.stringify(lead))(text)

describe('is sensitive after a submission', () => {
  it.each([
    'sandbox_hunter2',
    'req-sandbox_hunter2x',
    'SANDBOX_HUNTER2',
    'ana@example.com',
    'for ANA@EXAMPLE.COM;',
    'req-garcía-1',
    'GarcÃ­a',
    'maría',
    'phone=600123456',
    '1990-02-03',
    'no_such_ana',
    lead.product_id,
    'a García b',
    '600123456',
  ])('%s', text => expect(isSensitive(text)).toBe(true))
})

describe('is not sensitive', () => {
  it.each([
    'nginx/1.25.3',
    'application/json; charset=utf-8',
    '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11',
    'analysis',
    'banana',
    'email',
    'customer.contact.email.address',
    'Garcí',
    'xgarcía',
    'true',
    '',
  ])('%s', text => expect(isSensitive(text)).toBe(false))
})

it('matches words of three or more letters, but no field names', () => {
  const sent = (body: object) => sensitiveIn(url, key, JSON.stringify(body))
  expect(sent({ a: 'ana' })('ana')).toBe(true)
  expect(sent({ a: 'al' })('al')).toBe(false)
  expect(sent({ a: 'al' })('al lead')).toBe(false)
  expect(sent({ a: '(ana)' })('ana')).toBe(true)
  expect(sent({ a: 'x  ana   y' })('ana')).toBe(true)
  expect(sent({ a: [{ b: 4711 }] })('4711')).toBe(true)
  expect(sent({ a: true, b: null })('true null object')).toBe(false)
  expect(sent({ city: 'city' })('city')).toBe(false)
  expect(sent({ city: 'x', other: 'city' })('city')).toBe(false)
  expect(sensitiveIn(url, key)('ana')).toBe(false)
})

it('caches the split words across texts', () => {
  const isSensitiveHere = sensitiveIn(url, key, JSON.stringify(lead))
  const texts = ['nginx', 'maría', 'email', 'ana@example.com', 'garcía', 'cloudflare', 'sandbox_hunter2']
  expect(texts.map(isSensitiveHere)).toEqual([false, true, false, true, true, false, true])
})

it("recognizes values of the caller's headers, unless they are short or the SDK's own", () => {
  const headers = new Headers({
    'x-partner': 'p-471100',
    'x-scenario': 'http_50',
    'content-type': 'application/json',
    'x-request-id': '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11',
  })
  const isSensitiveHere = sensitiveIn(url, headers)
  expect(isSensitiveHere('for P-471100.')).toBe(true)
  for (const text of ['http_50', 'application/json', '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11', 'anything'])
    expect(isSensitiveHere(text)).toBe(false)
})

it("recognizes a pixel's token, raw and decoded, and its reference", () => {
  const url = 'https://a.example/lead/x/status?token=a%2Fb~c&event=approved&ref=loan%20garcia'
  const isSensitiveHere = sensitiveIn(url, new Headers())
  for (const text of ['x-a%2Fb~c', 'x-a/b~c', 'garcia', 'ref: loan']) expect(isSensitiveHere(text)).toBe(true)
  const first = sensitiveIn('https://a.example/lead/x/status?event=approved&token=a%2Fb~c&ref=1', new Headers())
  expect([first('a%2Fb~c'), first('a/b~c'), first('ref=1')]).toEqual([true, true, false])
  expect(sensitiveIn('https://a.example/token=a%2Fb~c', new Headers())('a%2Fb~c')).toBe(false)
  for (const text of ['status', 'cloudflare', 'received']) expect(isSensitiveHere(text)).toBe(false)
})

it('keeps only harmless headers that repeat nothing', () => {
  const headers = new Headers({
    date: 'Sat, 31 Jan 2026 09:30:00 GMT',
    server: 'nginx/1.25.3',
    via: '1.1 sandbox_hunter2',
    location: '/elsewhere',
    'x-request-id': 'r'.repeat(300),
  })
  expect(harmlessHeaders(headers, isSensitive)).toEqual({
    date: 'Sat, 31 Jan 2026 09:30:00 GMT',
    server: 'nginx/1.25.3',
    'x-request-id': 'r'.repeat(200),
  })
})

describe('a date', () => {
  const sent = sensitiveIn(url, key, JSON.stringify({ at: 'Sat 31 Jan 2026 09 30 00 GMT hunter2hunter2' }))
  const keeps = (date: string) => 'date' in harmlessHeaders(new Headers({ date }), sent)

  it('is kept, although its day was sent too', () => {
    expect(keeps('Sat, 31 Jan 2026 09:30:00 GMT')).toBe(true)
  })

  it.each([
    'hunter2hunter2 Sat, 31 Jan 2026 09:30:00 GMT',
    'Sat, 31 Jan 2026 09:30:00 GMT hunter2hunter2',
    'S, 31 Jan 2026 09:30:00 GMT',
    'Sat, 3 Jan 2026 09:30:00 GMT',
    'Sat, 31 J 2026 09:30:00 GMT',
    'Sat, 31 Jan 2 09:30:00 GMT',
    'Sat, 31 Jan 2026 0 GMT',
    'Sat, 31 Jan 2026 hunter20 GMT',
  ])('must not contain free text: %s', date => expect(keeps(date)).toBe(false))
})
