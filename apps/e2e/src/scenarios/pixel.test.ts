import { acceptedPixelEvents, canonicalEvent, usageEvent } from '@lead-distribution/contract'
import { expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { createTenant } from '../adapters/tenant.ts'

/** Every name of an event, with both names that the event has. */
const names = acceptedPixelEvents.map(name => [name, canonicalEvent(name), usageEvent(name)] as const)

inMemory('the pixel', adapter => {
  it.each(names)(
    'and the body form record %s once, as it was reported, and tell the publisher once [4.2/purpose] [4.3/purpose] [4.3/rule-3]',
    async (name, event, usage) => {
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
    },
  )

  it('keeps the reference of the advertiser, up to 255 characters [4.3/ref]', async () => {
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
