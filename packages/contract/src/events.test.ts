import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  acceptedPixelEvents,
  callbackSignatureHeaders,
  callbackUrl,
  canonicalEvent,
  isSigningSecret,
  knownStatuses,
  pixelNameOf,
  signCallback,
  usageEvent,
  usageNameOf,
} from './events.ts'

describe('the two event vocabularies', () => {
  it.each([
    ['registration', 'registration'],
    ['approved', 'loan_issued'],
    ['rejected', 'loan_rejected'],
    ['completed', 'loan_paid'],
    ['defaulted', 'loan_defaulted'],
  ] as const)('%s and %s are one event [6.1/rule-1]', (pixel, usage) => {
    expect([canonicalEvent(pixel), canonicalEvent(usage)]).toEqual([pixel, pixel])
    expect([usageEvent(pixel), usageEvent(usage)]).toEqual([usage, usage])
    expect([usageNameOf[pixel], pixelNameOf[usage]]).toEqual([usage, pixel])
  })

  it('keep converted apart from the pixel events: only the body form has it', () => {
    expect(canonicalEvent('converted')).toBe('converted')
    expect(knownStatuses).toContain('converted')
    expect(acceptedPixelEvents).not.toContain('converted')
  })

  it.each(['constructor', '__proto__', 'toString', '', 'LOAN_ISSUED'])('leave the unknown name %j unchanged', name => {
    expect([canonicalEvent(name), usageEvent(name)]).toEqual([name, name])
  })
})

const url = (base: string, event = 'loan_issued') => callbackUrl(base, 'the-lead', event)

describe('the URL of a callback', () => {
  it.each([
    [
      'contains lead_id and event',
      'http://127.0.0.1:3000/cb',
      'http://127.0.0.1:3000/cb?lead_id=the-lead&event=loan_issued',
    ],
    [
      'gets a path if it has none',
      'http://127.0.0.1:3000',
      'http://127.0.0.1:3000/?lead_id=the-lead&event=loan_issued',
    ],
  ])('%s [6.2/rule-2]', (_title, base, expected) => {
    expect(url(base)).toBe(expected)
  })

  it('keeps the query byte for byte, however it is escaped [6.2/rule-2]', () => {
    const query = 'flag&a=b%20c&d=e+f&g=%7e~&h=%C3%B1&i[]=1&j==&k=http://x/?y'
    expect(url(`http://127.0.0.1/cb?${query}`)).toBe(`http://127.0.0.1/cb?${query}&lead_id=the-lead&event=loan_issued`)
  })

  it('recognizes a parameter of the same name in another encoding [6.2/rule-2]', () => {
    expect(url('http://127.0.0.1/cb?lead%5Fid=x&%65vent=y')).toBe(url('http://127.0.0.1/cb'))
  })

  it('replaces parameters of the same names, however often they occur [6.2/rule-2]', () => {
    const query = new URL(url('http://127.0.0.1/cb?event=a&lead_id=b&event=c&keep=d')).searchParams
    expect(query.getAll('event')).toEqual(['loan_issued'])
    expect(query.getAll('lead_id')).toEqual(['the-lead'])
    expect(query.get('keep')).toBe('d')
  })

  it('contains the replacement character for a lone surrogate, and no fragment', () => {
    expect(url('http://127.0.0.1/cb#top', 'a\ud800')).toBe('http://127.0.0.1/cb?lead_id=the-lead&event=a%EF%BF%BD')
  })

  it('contains an event name escaped if it would change the query [6.2/rule-2]', () => {
    const query = new URL(url('http://127.0.0.1/cb', 'a&lead_id=x#y')).searchParams
    expect([query.get('event'), query.getAll('lead_id')]).toEqual(['a&lead_id=x#y', ['the-lead']])
  })
})

const bytes = Buffer.from('0123456789abcdef0123456789abcdef')
const callback = {
  secret: `whsec_${bytes.toString('base64')}`,
  id: 'msg_1',
  timestamp: '1767225600',
  target: '/callbacks?lead_id=3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11&event=loan_issued',
}

it('signs id, timestamp and request target like another implementation of HMAC', async () => {
  const content = `${callback.id}.${callback.timestamp}.${callback.target}`
  const expected = createHmac('sha256', bytes).update(content).digest('base64')
  expect(await signCallback(callback)).toBe(`v1,${expected}`)
})

describe('the headers of a signed callback', () => {
  const headersFor = (url: string) => callbackSignatureHeaders({ ...callback, at: 1_767_225_600_999, url })

  it('sign the request target, in whole seconds', async () => {
    expect(await headersFor(`https://publisher.example${callback.target}`)).toEqual({
      'webhook-id': callback.id,
      'webhook-timestamp': callback.timestamp,
      'webhook-signature': await signCallback(callback),
    })
  })

  it('omit a fragment, which is not sent', async () => {
    const url = 'http://127.0.0.1/cb?a=%C3%B1'
    expect(await headersFor(`${url}#top`)).toEqual(await headersFor(url))
  })
})

describe('isSigningSecret', () => {
  const sized = (length: number) => `whsec_${Buffer.alloc(length, 0xfb).toString('base64')}`
  it.each([
    [callback.secret, true],
    [sized(24), true],
    [sized(64), true],
    [sized(23), false],
    [sized(65), false],
    [bytes.toString('base64'), false],
    [`WHSEC_${bytes.toString('base64')}`, false],
    [`whsec_${callback.secret}`, false],
    ['whsec_c2hvcnQ=', false],
    ['whsec_ not base64', false],
    ['whsec_', false],
    ['', false],
    [` ${callback.secret}`, false],
    [`${callback.secret}\n`, false],
    [callback.secret.replace('whsec_', 'whsec_ '), false],
    [callback.secret.replace(/.{4}$/, ' $&'), false],
    [callback.secret.replace(/.{4}$/, '\t$&'), false],
    [sized(32).replace(/=+$/, ''), false],
    [sized(32).replace(/.=$/, '9='), false],
    [sized(32).replaceAll('+', '-').replaceAll('/', '_'), false],
    [`${sized(32)}=`, false],
  ])('%s: %s', (secret, is) => expect(isSigningSecret(secret)).toBe(is))
})
