import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { callbackSignatureHeaders, isSigningSecret, signCallback } from './callback-signature.ts'
import { equalText } from './equal-text.ts'

const bytes = Buffer.from('0123456789abcdef0123456789abcdef')
const callback = {
  secret: `whsec_${bytes.toString('base64')}`,
  id: 'msg_1',
  timestamp: '1767225600',
  target: '/callbacks?lead_id=3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11&event=loan_issued',
}

it('signs id, timestamp and request target, as another implementation of HMAC does', async () => {
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

  it('leave a fragment out: it is not sent', async () => {
    const url = 'http://127.0.0.1/cb?a=%C3%B1'
    expect(await headersFor(`${url}#top`)).toEqual(await headersFor(url))
  })
})

describe('isSigningSecret', () => {
  it.each([
    [callback.secret, true],
    [bytes.toString('base64'), false],
    ['whsec_c2hvcnQ=', false],
    ['whsec_ not base64', false],
    ['', false],
  ])('%s: %s', (secret, is) => expect(isSigningSecret(secret)).toBe(is))
})

describe('equalText', () => {
  it.each([
    ['abc', 'abc', true],
    ['abc', 'abd', false],
    ['ab', 'abc', false],
    ['abcabc', 'abc', false],
    ['', 'abc', false],
    ['', '', true],
  ])('%s against %s: %s', (given, expected, equal) => expect(equalText(given, expected)).toBe(equal))
})
