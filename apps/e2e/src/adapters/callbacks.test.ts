import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { eachRow } from '../each-row.ts'
import { onEveryAdapter } from './every-adapter.ts'
import { openReceiver, withStatus } from './receiver.ts'
import { createTenant } from './tenant.ts'

const quick = { callback_retries: ['PT0.02S', 'PT0.02S'] }
const statusesOf = (callback: { attempts: { status?: number }[] }) => callback.attempts.map(({ status }) => status)

onEveryAdapter('callbacks', adapter => {
  it("reach the tenant's inbox with lead_id and event [6.2/rule-1] [6.2/rule-2] [6.2/rule-4] [6.2/lead_id] [3/received]", async () => {
    const tenant = await createTenant(adapter)
    const lead = await tenant.distributedLead()
    await tenant.report(lead, { status: 'converted' })
    await tenant.pixel(lead, 'approved')
    expect(await tenant.inbox(2)).toEqual([
      {
        entry_id: expect.stringMatching(/^i\d+$/),
        received_at: expect.any(String),
        lead_id: lead,
        event: 'converted',
        target: `/_sandbox/inbox/${tenant.account.tenant}?lead_id=${lead}&event=converted`,
        headers: {},
        status: 200,
      },
      expect.objectContaining({ lead_id: lead, event: 'loan_issued' }),
    ])
  })

  it("replace lead_id and event in their URL's query, and keep the rest [6.2/rule-2] [6.2/rule-3]", async () => {
    await using receiver = await openReceiver()
    const tenant = await createTenant(adapter, { callback_url: `${receiver.url}/cb?source=loans&event=mine&a=1&a=2` })
    const lead = await tenant.distributedLead()
    await tenant.pixel(lead, 'approved')
    expect(await tenant.settledCallbacks(lead)).toMatchObject([{ state: 'delivered' }])
    const [{ target, headers } = expect.fail('Nothing came.')] = receiver.received
    expect(target).toMatch(/^\/cb\?/)
    const query = [...new URLSearchParams(target.split('?')[1])].map(([name, value]) => `${name}=${value}`)
    expect(query.sort()).toEqual(['a=1', 'a=2', 'event=loan_issued', `lead_id=${lead}`, 'source=loans'])
    expect(JSON.stringify([target, headers])).not.toMatch(/example\.com|webhook-/)
  })

  describe('delivery', () => {
    it('fails after the last retry if every response was other than 2xx [open/callback_retries]', () =>
      eachRow([302, 500], async status => {
        await using receiver = await openReceiver(withStatus(status, { location: '/elsewhere' }))
        const tenant = await createTenant(adapter, { callback_url: `${receiver.url}/cb`, settings: quick })
        const lead = await tenant.distributedLead()
        await tenant.pixel(lead, 'approved')
        const [callback] = await tenant.settledCallbacks(lead)
        expect([callback.state, statusesOf(callback)]).toEqual(['failed', [status, status, status]])
        expect(callback).not.toHaveProperty('next_attempt_at')
        expect(receiver.received.map(({ target }) => target.split('?')[0])).toEqual(['/cb', '/cb', '/cb'])
      }))

    it('is delivered by the first attempt that succeeds [open/callback_retries]', async () => {
      await using receiver = await openReceiver((response, nth) => withStatus(nth < 3 ? 500 : 204)(response))
      const tenant = await createTenant(adapter, { callback_url: receiver.url, settings: quick })
      const lead = await tenant.distributedLead()
      await tenant.pixel(lead, 'approved')
      const [callback] = await tenant.settledCallbacks(lead)
      expect([callback.state, statusesOf(callback)]).toEqual(['delivered', [500, 500, 204]])
      const times = callback.attempts.map(({ at }: { at: string }) => Date.parse(at))
      expect(times[1] - times[0]).toBeGreaterThanOrEqual(20)
      expect(times[2] - times[1]).toBeGreaterThanOrEqual(20)
    })

    it('is attempted once if the list of retries is empty [open/callback_retries]', async () => {
      await using receiver = await openReceiver(withStatus(500))
      const tenant = await createTenant(adapter, { callback_url: receiver.url, settings: { callback_retries: [] } })
      const lead = await tenant.distributedLead()
      await tenant.pixel(lead, 'approved')
      expect(await tenant.settledCallbacks(lead)).toMatchObject([{ state: 'failed', attempts: [{ status: 500 }] }])
    })

    it('fails if the response takes longer than the time-out [open/callback_timeout]', async () => {
      await using receiver = await openReceiver(() => undefined)
      const settings = { callback_retries: [], callback_timeout: 'PT0.05S' }
      const tenant = await createTenant(adapter, { callback_url: receiver.url, settings })
      const lead = await tenant.distributedLead()
      await tenant.pixel(lead, 'approved')
      const [{ state, attempts }] = await tenant.settledCallbacks(lead)
      expect([state, attempts]).toEqual([
        'failed',
        [{ at: expect.any(String), error: expect.any(String), ms: expect.any(Number) }],
      ])
    })

    it('fails without a valid response', () =>
      eachRow(
        [
          [
            'a connection that the receiver closes',
            (response: import('node:http').ServerResponse) => void response.destroy(),
          ],
          [
            'a response that is not HTTP',
            (response: import('node:http').ServerResponse) => void response.socket?.end('hello\r\n\r\n'),
          ],
        ],
        async (_title, answer) => {
          await using receiver = await openReceiver(answer)
          const tenant = await createTenant(adapter, { callback_url: receiver.url, settings: { callback_retries: [] } })
          const lead = await tenant.distributedLead()
          await tenant.pixel(lead, 'approved')
          expect(await tenant.settledCallbacks(lead)).toMatchObject([
            { state: 'failed', attempts: [{ error: expect.any(String) }] },
          ])
        },
      ))

    it('goes to the URL that the account has at the time of the attempt', async () => {
      await using receiver = await openReceiver()
      await using broken = await openReceiver(withStatus(500))
      const tenant = await createTenant(adapter, {
        callback_url: broken.url,
        frozen_at: '2026-06-15T12:00:00Z',
        settings: { callback_retries: ['PT5S'] },
      })
      const lead = await tenant.distributedLead()
      await tenant.pixel(lead, 'approved')
      await expect.poll(async () => (await tenant.lead(lead)).callbacks[0].attempts.length).toBe(1)
      await tenant.change({ callback_url: `${receiver.url}/new` })
      await tenant.control('POST', '/clock/advance', { body: { by: 'PT5S' } })
      const [callback] = await tenant.settledCallbacks(lead)
      expect(callback).toMatchObject({ state: 'delivered', url: expect.stringContaining(`${receiver.url}/new`) })
    })
  })

  it('do not block deleting a tenant whose receiver does not respond', async () => {
    await using receiver = await openReceiver(() => undefined)
    const tenant = await createTenant(adapter, { callback_url: receiver.url, settings: { callback_timeout: 'PT1H' } })
    await tenant.pixel(await tenant.distributedLead(), 'approved')
    await expect.poll(() => receiver.received.length).toBe(1)
    expect((await tenant.control('DELETE')).status).toBe(200)
  })

  describe('signatures', () => {
    it("follow Standard Webhooks and verify with the account's secret [open/callback_signature]", async () => {
      await using receiver = await openReceiver((response, nth) => withStatus(nth === 1 ? 500 : 200)(response))
      const settings = { ...quick, callback_signature: 'standard_webhooks' }
      const tenant = await createTenant(adapter, { callback_url: `${receiver.url}/cb?a=%C3%B1`, settings })
      const lead = await tenant.distributedLead()
      await tenant.pixel(lead, 'approved')
      const [{ callback_id }] = await tenant.settledCallbacks(lead)
      expect(receiver.received).toHaveLength(2)
      const key = Buffer.from(tenant.account.publisher.callback_secret.replace('whsec_', ''), 'base64')
      for (const { target, headers } of receiver.received) {
        const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers
        expect(id).toBe(callback_id)
        expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(60)
        expect(signature).toBe(
          `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${target}`).digest('base64')}`,
        )
      }
    })

    it('also appear in the inbox [open/callback_signature]', async () => {
      const tenant = await createTenant(adapter, { settings: { callback_signature: 'standard_webhooks' } })
      await tenant.pixel(await tenant.distributedLead(), 'approved')
      const [{ headers } = expect.fail('Nothing came.')] = await tenant.inbox(1)
      expect(Object.keys(headers).sort()).toEqual(['webhook-id', 'webhook-signature', 'webhook-timestamp'])
    })
  })
})

onEveryAdapter('a receiver that never responds', adapter => {
  it.each([
    ['a reset', '/reset'],
    ['a restore', '/snapshots/before/restore'],
  ])("does not block %s, and the attempt's late result changes nothing", async (_what, path) => {
    await using receiver = await openReceiver(() => undefined)
    const tenant = await createTenant(adapter, {
      callback_url: receiver.url,
      settings: { callback_timeout: 'PT1H', callback_retries: ['PT5S'] },
    })
    await tenant.control('POST', '/snapshots', { body: { name: 'before' } })
    const lead = await tenant.distributedLead()
    await tenant.pixel(lead, 'registration')
    await expect.poll(() => receiver.received.length).toBe(1)
    const put = await tenant.control('POST', path)
    expect(put.status).toBe(200)
    expect((await tenant.control('GET', '/callbacks')).json).toEqual({ callbacks: [] })
    expect((await tenant.control('GET', '/leads')).json).toEqual({ leads: [] })
  })
})
