import { pixelEvents, usageEvents } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { atEveryDoor } from '../doors/every-door.ts'
import { createTenant } from '../doors/tenant.ts'

const names = [...new Set([...pixelEvents, ...usageEvents])].map(event => {
  const place = Math.max(pixelEvents.indexOf(event as never), usageEvents.indexOf(event as never))
  return [event, pixelEvents[place], usageEvents[place]] as const
})
const badTypes = [
  ['POST', '/api/v1/lead'],
  ['POST', '/api/v1/lead/40000000-0000-4000-8000-00000000ffff/status'],
] as const

atEveryDoor('the endpoints', door => {
  it('take a lead by POST from a publisher, and from nobody else [4.1/method_and_path, 4.1/caller]', async () => {
    const tenant = await createTenant(door)
    expect((await tenant.submit()).status).toBe(200)
    for (const apikey of [tenant.advertiserKey(), 'unknown'])
      expect((await tenant.submitBody(tenant.body(), { apikey })).status).toBe(401)
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const { status } = await door.request(method, '/api/v1/lead', { headers: { apikey: tenant.publisherKey } })
      expect([method, status]).toEqual([method, 405])
    }
  })

  it('take a status from an advertiser, and from nobody else [4.2/caller, 4.2/success_reply]', async () => {
    const tenant = await createTenant(door)
    const lead = await tenant.distributedLead()
    const refused = await tenant.report(lead, { status: 'approved' }, { key: tenant.publisherKey })
    expect(refused.status).toBe(401)
    const { status, json } = await tenant.report(lead, { status: 'approved' })
    expect([status, json]).toEqual([200, { lead_id: lead, status: 'approved' }])
  })

  it('take an event by GET at the path of the lead [4.3/method_and_path, 4.3/lead_id]', async () => {
    const tenant = await createTenant(door)
    const lead = await tenant.distributedLead()
    expect(new URL(await tenant.postback(lead), 'http://any').pathname).toBe(`/api/v1/lead/${lead}/status`)
    const { status, json } = await tenant.pixel(lead, 'registration')
    expect([status, json.lead_id]).toEqual([200, lead])
  })

  it('ask for the key, but for the one that has a token [4/apikey]', async () => {
    const tenant = await createTenant(door)
    const lead = await tenant.distributedLead()
    const without = [
      await door.request('POST', '/api/v1/lead', { body: tenant.body() }),
      await door.request('POST', `/api/v1/lead/${lead}/status`, { body: { status: 'approved' } }),
      await tenant.pixel(lead, 'approved'),
    ]
    expect(without.map(({ status }) => status)).toEqual([401, 401, 200])
  })

  it.each(badTypes)('answer %s %s without a key by one 401 [open/error.unauthorized]', async (method, target) => {
    const replies = [{}, { apikey: '' }, { apikey: 'x' }].map(headers => door.request(method, target, { headers }))
    const bodies = (await Promise.all(replies)).map(({ status, json }) => [status, json])
    for (const body of bodies) expect(body).toEqual([401, { error: 'unauthorized', message: bodies[0]?.[1].message }])
  })

  it('stand under the version, and nowhere else [9/path]', async () => {
    const tenant = await createTenant(door)
    const headers = { apikey: tenant.publisherKey }
    for (const path of ['/lead', '/v1/lead', '/api/lead', '/api/v2/lead', '/API/v1/lead', '/api/v1/lead/'])
      expect([path, (await door.request('POST', path, { body: tenant.body(), headers })).status]).toEqual([path, 404])
  })

  it('answer what is no submission by four statuses, and judge the rest with 200 [4.1/rule-4, 7/business_rejections]', async () => {
    const tenant = await createTenant(door)
    const young = { 'customer.personal_data.birthday': '2024-01-01' }
    const { status, json } = await tenant.submit(young)
    expect([status, json.status, json.rejection_reason, json.error]).toEqual([
      ...[200, 'rejected', 'age_restriction', undefined],
    ])
    const refused = [
      await tenant.submit({ 'product_data.loan_amount': 499 }),
      await tenant.submitBody(tenant.body(), { apikey: 'unknown' }),
      await tenant.submit({ 'consents.entries': [] }),
    ]
    expect(refused.map(reply => reply.status)).toEqual([400, 401, 422])
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

  it("hide another advertiser's lead behind the 404 of an unknown one [open/other_advertiser]", async () => {
    const tenant = await createTenant(door)
    const lead = await tenant.distributedLead()
    const other = await tenant.report(lead, { status: 'approved' }, { key: tenant.advertiserKey(1) })
    const unknown = await tenant.report('40000000-0000-4000-8000-00000000ffff', { status: 'approved' })
    expect([other.status, other.text]).toEqual([404, unknown.text])
    expect((await tenant.lead(lead)).events).toEqual([])
  })
})
