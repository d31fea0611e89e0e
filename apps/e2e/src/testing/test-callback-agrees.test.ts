import { createCallbackUrl } from '@lead-distribution/publisher-sdk/callbacks'
import { createTestCallback } from '@lead-distribution/publisher-sdk/testing'
import { expect, it } from 'vitest'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { openReceiver, type Received } from '../adapters/receiver.ts'
import { createTenant } from '../adapters/tenant.ts'
import { eachRow } from '../each-row.ts'

const signatureOf = ({ headers }: Received) => [
  headers['webhook-id'],
  headers['webhook-timestamp'],
  headers['webhook-signature'],
]

it('a test callback reaches a receiver as the sandbox sends it', () =>
  eachRow(['none', 'standard_webhooks'], async callback_signature => {
    await using receiver = await openReceiver()
    const adapter = await openExpressAdapter()
    try {
      const { url } = createCallbackUrl(`${receiver.url}/callbacks?site=a%20b`)
      const tenant = await createTenant(adapter, { callback_url: url, settings: { callback_signature } })
      const lead_id = await tenant.distributedLead()
      await tenant.pixel(lead_id, 'approved')
      await expect.poll(() => receiver.received.length).toBe(1)
      const [real = expect.fail('Nothing came.')] = receiver.received
      const signed = callback_signature === 'none' ? {} : { secret: tenant.account.publisher.callback_secret }
      const [id = 'any', seconds] = signatureOf(real)
      const at = new Date(Number(seconds ?? 0) * 1000)
      await fetch(await createTestCallback({ url, lead_id, event: 'loan_issued', id: String(id), at, ...signed }))
      const [, made = expect.fail('The test callback did not come.')] = receiver.received
      expect([made.method, made.target, made.body]).toEqual([real.method, real.target, real.body])
      expect(signatureOf(made)).toEqual(signatureOf(real))
      expect(typeof signatureOf(made)[2]).toBe(callback_signature === 'none' ? 'undefined' : 'string')
    } finally {
      await adapter.close()
    }
  }))
