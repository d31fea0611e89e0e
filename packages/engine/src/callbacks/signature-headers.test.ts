import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { signatureHeaders } from './signature-headers.ts'

const key = Buffer.from('0123456789abcdef0123456789abcdef')
const secret = `whsec_${key.toString('base64')}`
const sign = (content: string) => createHmac('sha256', key).update(content).digest('base64')

describe('the signature of a callback', () => {
  it('is the HMAC that node:crypto makes over id, time and request target', async () => {
    const headers = await signatureHeaders(
      secret,
      'the-callback',
      1_781_524_800,
      'http://127.0.0.1:3000/cb?a=%C3%B1&lead_id=x',
    )
    expect(headers).toEqual({
      'webhook-id': 'the-callback',
      'webhook-timestamp': '1781524800',
      'webhook-signature': `v1,${sign('the-callback.1781524800./cb?a=%C3%B1&lead_id=x')}`,
    })
  })

  it('leaves a fragment out: it is not sent', async () => {
    const headers = await signatureHeaders(secret, 'id', 1, 'http://127.0.0.1/cb?a=1#top')
    expect(headers['webhook-signature']).toBe(`v1,${sign('id.1./cb?a=1')}`)
  })
})
