import { expect, it } from 'vitest'
import { readSubmission, redirectResponse } from './submit-result.ts'

const meta = { status: 200, headers: {}, attempts: 1, callId: 'c', ms: 1 }
const read = (body: Record<string, unknown>) => readSubmission({ status: 200, body, meta, mayBeResent: false }, false)

it('redirects a distributed lead with an uncached 303 to the URL as received', () => {
  const redirect_url = 'https://advertiser.example/apply?t=~a%20b=='
  const result = read({ lead_id: 'l', status: 'distributed', redirect_url })
  if (result.outcome !== 'distributed') return expect.unreachable()
  const response = redirectResponse(result)
  expect(response.status).toBe(303)
  expect(Object.fromEntries(response.headers)).toEqual({ location: redirect_url, 'cache-control': 'no-store' })
})

it.each([{ status: 'new', lead_id: 'l' }, { status: 'rejected' }, { status: 'tomorrow' }])(
  'rejects %o in plain JavaScript too',
  body => expect(() => redirectResponse(read(body) as never)).toThrow('Only a distributed lead'),
)

it.each([undefined, 'https://advertiser.example', { outcome: 'distributed', redirect_url: 'javascript:alert(1)' }])(
  'refuses %o',
  value => expect(() => redirectResponse(value as never)).toThrow('Only a distributed lead'),
)

it.each([
  ['https://a.example/apply?a=b|c{d}^e', 'https://a.example/apply?a=b|c{d}^e'],
  ['https://a.example/{lead}|x^y', new URL('https://a.example/{lead}|x^y').href],
  ['https://a.example/solicitud/año?n=é', 'https://a.example/solicitud/a%C3%B1o?n=%C3%A9'],
  ['https://bücher.example/漢', 'https://xn--bcher-kva.example/%E6%BC%A2'],
  [' HTTPS://A.example', 'https://a.example/'],
  ['https://a.example/\r\nset-cookie: a=b', 'https://a.example/set-cookie:%20a=b'],
])('redirects to the usable URL %o, and keeps its text', (text, href) => {
  const result = read({ lead_id: 'l', status: 'distributed', redirect_url: text })
  if (result.outcome !== 'distributed') return expect.unreachable()
  expect(result.redirect_url).toBe(href)
  expect(result.raw.redirect_url).toBe(text)
  expect(redirectResponse(result).headers.get('location')).toBe(href)
})
