import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isSigningSecret, signCallback } from './callback-signature.ts'
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
