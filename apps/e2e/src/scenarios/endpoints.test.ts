import { pixelEvents, usageEvents } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { atEveryDoor } from '../doors/every-door.ts'
import { createTenant } from '../doors/tenant.ts'

const names = [...new Set([...pixelEvents, ...usageEvents])].map(event => {
  const place = Math.max(pixelEvents.indexOf(event as never), usageEvents.indexOf(event as never))
  return [event, pixelEvents[place], usageEvents[place]] as const
})

atEveryDoor('the endpoints', door => {
  it('take an event by GET at the path of the lead [4.3/method_and_path, 4.3/lead_id]', async () => {
    const tenant = await createTenant(door)
    const lead = await tenant.distributedLead()
    expect(new URL(await tenant.postback(lead), 'http://any').pathname).toBe(`/api/v1/lead/${lead}/status`)
    const { status, json } = await tenant.pixel(lead, 'registration')
    expect([status, json.lead_id]).toEqual([200, lead])
  })

  describe.each(names)('the event %s', (event, pixelName, usageName) => {
    it(`does the same by pixel as by body, and the publisher hears of it once [4.3/purpose, 6.1/${event}]`, async () => {
      const tenant = await createTenant(door, { settings: { callback_event_names: 'usage' } })
      const [byPixel, byBody] = [await tenant.distributedLead(), await tenant.distributedLead()]
      expect((await tenant.pixel(byPixel, event)).json).toEqual({
        ...{ lead_id: byPixel, event: pixelName, status: 'received' },
      })
      expect((await tenant.report(byBody, { status: event })).status).toBe(200)
      for (const lead of [byPixel, byBody]) {
        const { events, callbacks } = await tenant.lead(lead)
        expect(events).toMatchObject([{ event: pixelName, reported_as: event }])
        expect(callbacks).toMatchObject([{ lead_id: lead, event: usageName }])
      }
    })
  })
})
