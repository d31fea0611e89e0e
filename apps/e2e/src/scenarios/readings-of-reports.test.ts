import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { createTenant } from '../adapters/tenant.ts'

inMemory('readings of a report', adapter => {
  it('status_methods of PATCH alone takes no POST [open/status_methods] [4.2/methods]', async () => {
    const tenant = await createTenant(adapter, { settings: { status_methods: ['PATCH'] } })
    const lead = await tenant.distributedLead()
    const { status, headers } = await tenant.report(lead, { status: 'registration' })
    expect([status, headers.allow?.split(', ').sort()]).toEqual([405, ['GET', 'PATCH']])
    expect((await tenant.report(lead, { status: 'approved' }, { method: 'PATCH' })).status).toBe(200)
    expect((await tenant.lead(lead)).events).toMatchObject([{ event: 'approved' }])
  })

  describe('status_vocabulary', () => {
    it('any takes every word that is not empty, as an event of its own [open/status_vocabulary]', async () => {
      const tenant = await createTenant(adapter, { settings: { status_vocabulary: 'any' } })
      const lead = await tenant.distributedLead()
      const words = ['funded', 'Approved', ' approved', 'constructor', '__proto__', 'a&event=b', 'é']
      for (const status of words)
        expect((await tenant.report(lead, { status })).json).toEqual({ lead_id: lead, status })
      expect((await tenant.report(lead, { status: '' })).status).toBe(400)
      expect((await tenant.inbox(words.length)).map(({ event }) => event)).toEqual(words)
    })

    it('any still knows the two names of one event [open/status_vocabulary] [6.1/loan_issued]', async () => {
      const tenant = await createTenant(adapter, { settings: { status_vocabulary: 'any' } })
      const lead = await tenant.distributedLead()
      for (const status of ['loan_issued', 'approved']) expect((await tenant.report(lead, { status })).status).toBe(200)
      expect((await tenant.lead(lead)).events).toHaveLength(1)
    })

    it('any leaves the words of the pixel as they are [4.3/event]', async () => {
      const tenant = await createTenant(adapter, { settings: { status_vocabulary: 'any' } })
      expect((await tenant.pixel(await tenant.distributedLead(), 'funded')).status).toBe(400)
    })
  })

  it('callback_event_names of as_reported repeats each name [open/callback_event_names] [6.2/event]', async () => {
    const tenant = await createTenant(adapter, { settings: { callback_event_names: 'as_reported' } })
    const lead = await tenant.distributedLead()
    const names = ['approved', 'loan_paid', 'registration']
    for (const name of names) await tenant.pixel(lead, name)
    await tenant.report(lead, { status: 'converted' })
    expect((await tenant.inbox(4)).map(({ event }) => event)).toEqual([...names, 'converted'])
  })

  describe('token_format', () => {
    it.each([
      { hash: 'SHA-256', joiner: ':', encoding: 'hex' },
      { hash: 'SHA-256', joiner: '', encoding: 'base64url' },
      { hash: 'SHA-512', joiner: '|', encoding: 'hex' },
      { hash: 'SHA-512', joiner: 'ñ', encoding: 'base64url' },
    ] as const)('%j makes the token [open/token_format] [5/rule-1]', async token_format => {
      const tenant = await createTenant(adapter, { settings: { token_format } })
      const lead = await tenant.distributedLead()
      const { advertiser_id, postback_secret } = tenant.advertiser()
      const { hash, joiner, encoding } = token_format
      const token = createHmac(hash.replace('-', ''), postback_secret)
        .update(`${lead}${joiner}${advertiser_id}`)
        .digest(encoding)
      expect(await tenant.postback(lead)).toBe(`/api/v1/lead/${lead}/status?token=${token}`)
      expect((await tenant.pixel(lead, 'approved')).json.status).toBe('received')
    })

    it('takes the bytes of a secret that the account was given as UTF-8 [open/token_format]', async () => {
      const tenant = await createTenant(adapter)
      const { advertiser_id } = tenant.advertiser()
      await tenant.change({ advertisers: [{ advertiser_id, postback_secret: 'señal 🔑' }] })
      const lead = await tenant.distributedLead()
      const token = createHmac('sha256', 'señal 🔑').update(`${lead}:${advertiser_id}`).digest('hex')
      expect((await adapter.request('GET', `/api/v1/lead/${lead}/status?token=${token}&event=approved`)).status).toBe(
        200,
      )
    })
  })
})
