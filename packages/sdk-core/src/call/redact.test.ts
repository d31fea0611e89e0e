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
const isSensitive = sensitiveIn(
  'https://a.example/lead',
  new Headers({ apikey: 'sandbox_hunter2' }),
  JSON.stringify(lead),
)

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
    '',
  ])('%s', text => expect(isSensitive(text)).toBe(false))
})

it('recognises the token of a pixel, raw and decoded, and its reference', () => {
  const url = 'https://a.example/lead/x/status?token=a%2Fb~c&event=approved&ref=loan%20garcia'
  const isSensitiveHere = sensitiveIn(url, new Headers())
  for (const text of ['x-a%2Fb~c', 'x-a/b~c', 'garcia', 'ref: loan']) expect(isSensitiveHere(text)).toBe(true)
  for (const text of ['status', 'cloudflare', 'received']) expect(isSensitiveHere(text)).toBe(false)
})

it('keeps of the headers those that are harmless and repeat nothing', () => {
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
