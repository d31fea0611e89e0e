import { describe, expect, it } from 'vitest'
import { echoOf } from './echo.ts'

const lead = {
  product_id: '11111111-1111-4111-8111-111111111111',
  customer: {
    personal_data: { first_name: 'Ana María', last_name: 'García', birth_date: '1990-02-03' },
    contact: { email: { address: 'ana@example.com' }, phone: { number: 600123456 } },
  },
  consents: { entries: [{ type: 'email', accepted: true }] },
}
const echo = echoOf('https://a.example/lead', { apikey: 'sandbox_hunter2' }, JSON.stringify(lead))

describe('is an echo of a submission', () => {
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
  ])('%s', text => expect(echo(text)).toBe(true))
})

describe('is none', () => {
  it.each([
    'nginx/1.25.3',
    'application/json; charset=utf-8',
    '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11',
    'analysis',
    'banana',
    'email',
    'customer.contact.email.address',
    '',
  ])('%s', text => expect(echo(text)).toBe(false))
})

it('knows the token of a pixel as it is written and as it reads, and its reference', () => {
  const pixel = echoOf('https://a.example/lead/x/status?token=a%2Fb~c&event=approved&ref=loan%20garcia', {})
  for (const text of ['x-a%2Fb~c', 'x-a/b~c', 'garcia', 'ref: loan']) expect(pixel(text)).toBe(true)
  for (const text of ['status', 'cloudflare', 'received']) expect(pixel(text)).toBe(false)
})
