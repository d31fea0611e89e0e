import { createHmac } from 'node:crypto'
import { acceptedPixelEvents, canonicalEvent, usageEvent } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { createTenant } from '../adapters/tenant.ts'
import { eachRow } from '../each-row.ts'

/** Every event name, with both of the event's names. */
const names: [name: string, event: string, usage: string][] = acceptedPixelEvents.map(name => [
  name,
  canonicalEvent(name),
  usageEvent(name),
])

inMemory('the pixel', adapter => {
  it('and the body form record every event once as reported, and notify the publisher once [4.2/purpose] [4.3/purpose] [4.3/rule-3]', () =>
    eachRow(names, async (name, event, usage) => {
      const tenant = await createTenant(adapter)
      const [byPixel, byBody] = [await tenant.distributedLead(), await tenant.distributedLead()]
      await tenant.pixel(byPixel, name)
      await tenant.report(byBody, { status: name })
      for (const [lead, via] of [
        [byPixel, 'pixel'],
        [byBody, 'body'],
      ] as const) {
        for (const again of [event, usage]) {
          await tenant.pixel(lead, again)
          await tenant.report(lead, { status: again })
        }
        const { events, callbacks } = await tenant.lead(lead)
        expect(events).toMatchObject([{ event, reported_as: name, via }])
        expect(callbacks).toMatchObject([{ lead_id: lead, event: usage }])
      }
    }))

  it("stores the advertiser's reference, up to 255 characters [4.3/ref]", async () => {
    const tenant = await createTenant(adapter)
    const lead = await tenant.distributedLead()
    await tenant.pixel(lead, 'registration', '&ref=A%26B%20%C3%B1')
    await tenant.pixel(lead, 'approved', `&ref=${'r'.repeat(255)}`)
    const { events } = await tenant.lead(lead)
    expect(events).toMatchObject([
      { event: 'registration', ref: 'A&B ñ', via: 'pixel' },
      { event: 'approved', ref: 'r'.repeat(255) },
    ])
  })
})

inMemory('status by body', adapter => {
  it('stores the fields of a status by POST or PATCH [4.2/method_and_path] [4.2/metadata]', () =>
    eachRow(['POST', 'PATCH'], async method => {
      const tenant = await createTenant(adapter)
      const lead = await tenant.distributedLead()
      const metadata = { amount: 4999.5, term_months: 24 }
      const { advertiser_id } = tenant.advertiser()
      await tenant.report(lead, { status: 'converted', advertiser_id, metadata }, { method })
      const { events } = await tenant.lead(lead)
      expect(events).toEqual([
        {
          event: 'converted',
          reported_as: 'converted',
          via: 'body',
          advertiser_id,
          metadata,
          recorded_at: expect.any(String),
        },
      ])
    }))

  it('treats converted as a separate event [4.2/status]', async () => {
    const tenant = await createTenant(adapter)
    const lead = await tenant.distributedLead()
    for (const status of ['converted', 'approved', 'converted']) await tenant.report(lead, { status })
    const { events } = await tenant.lead(lead)
    expect(events.map(({ event }: { event: string }) => event)).toEqual(['converted', 'approved'])
  })

  it('records nothing from a refused report [4.2/errors]', async () => {
    const tenant = await createTenant(adapter)
    const lead = await tenant.distributedLead()
    const advertiser_id = tenant.advertiser(1).advertiser_id
    for (const body of [
      { status: 'funded' },
      { status: 'approved', metadata: [] },
      { status: 'approved', advertiser_id },
    ])
      expect((await tenant.report(lead, body)).status).toBe(400)
    expect((await tenant.lead(lead)).events).toEqual([])
  })

  it('keeps the events of advertisers separate', async () => {
    const tenant = await createTenant(adapter, { settings: { distribution: 'all_accepting' } })
    const lead = await tenant.distributedLead()
    for (const index of [0, 1, 0])
      await tenant.report(lead, { status: 'approved' }, { key: tenant.advertiserKey(index) })
    const { events, callbacks } = await tenant.lead(lead)
    expect([events.length, callbacks.length]).toEqual([2, 2])
  })
})

inMemory('interpretations of a report', adapter => {
  it('status_methods with only PATCH refuses POST [open/status_methods] [4.2/methods]', async () => {
    const tenant = await createTenant(adapter, { settings: { status_methods: ['PATCH'] } })
    const lead = await tenant.distributedLead()
    const { status, headers } = await tenant.report(lead, { status: 'registration' })
    expect([status, headers.allow?.split(', ').sort()]).toEqual([405, ['GET', 'PATCH']])
    expect((await tenant.report(lead, { status: 'approved' }, { method: 'PATCH' })).status).toBe(200)
    expect((await tenant.lead(lead)).events).toMatchObject([{ event: 'approved' }])
  })

  describe('status_vocabulary', () => {
    it('any accepts every non-empty name as a separate event [open/status_vocabulary]', async () => {
      const tenant = await createTenant(adapter, { settings: { status_vocabulary: 'any' } })
      const lead = await tenant.distributedLead()
      const names = ['funded', 'Approved', ' approved', 'constructor', '__proto__', 'a&event=b', 'é']
      for (const status of names)
        expect((await tenant.report(lead, { status })).json).toEqual({ lead_id: lead, status })
      expect((await tenant.report(lead, { status: '' })).status).toBe(400)
      expect((await tenant.inbox(names.length)).map(({ event }) => event)).toEqual(names)
    })

    it("any still treats an event's two names as one [open/status_vocabulary] [6.1/loan_issued]", async () => {
      const tenant = await createTenant(adapter, { settings: { status_vocabulary: 'any' } })
      const lead = await tenant.distributedLead()
      for (const status of ['loan_issued', 'approved']) expect((await tenant.report(lead, { status })).status).toBe(200)
      expect((await tenant.lead(lead)).events).toHaveLength(1)
    })

    it("any does not change the pixel's names [4.3/event]", async () => {
      const tenant = await createTenant(adapter, { settings: { status_vocabulary: 'any' } })
      expect((await tenant.pixel(await tenant.distributedLead(), 'funded')).status).toBe(400)
    })
  })

  describe('token_format', () => {
    it('every format produces its token [open/token_format] [5/rule-1]', () =>
      eachRow(
        [
          { hash: 'SHA-256', joiner: ':', encoding: 'hex' },
          { hash: 'SHA-256', joiner: '', encoding: 'base64url' },
          { hash: 'SHA-512', joiner: '|', encoding: 'hex' },
          { hash: 'SHA-512', joiner: 'ñ', encoding: 'base64url' },
        ] as const,
        async token_format => {
          const tenant = await createTenant(adapter, { settings: { token_format } })
          const lead = await tenant.distributedLead()
          const { advertiser_id, postback_secret } = tenant.advertiser()
          const { hash, joiner, encoding } = token_format
          const token = createHmac(hash.replace('-', ''), postback_secret)
            .update(`${lead}${joiner}${advertiser_id}`)
            .digest(encoding)
          expect(await tenant.postback(lead)).toBe(`/api/v1/lead/${lead}/status?token=${token}`)
          expect((await tenant.pixel(lead, 'approved')).json.status).toBe('received')
        },
      ))
  })
})
