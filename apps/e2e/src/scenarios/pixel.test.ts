import { createHmac } from 'node:crypto'
import { pixelEvents, usageEvents } from '@lead-distribution/contract'
import { expect, it } from 'vitest'
import { atEveryDoor } from '../doors/every-door.ts'
import { createTenant } from '../doors/tenant.ts'

const unknownLead = '40000000-0000-4000-8000-00000000ffff'

atEveryDoor('the pixel', door => {
  it.each(pixelEvents.map((event, index) => [event, usageEvents[index] ?? '']))(
    'records %s once, also by its other name %s [4.3/event] [4.3/reply.status] [4.3/rule-3] [6.1/rule-1]',
    async (event, other) => {
      const tenant = await createTenant(door)
      const lead = await tenant.distributedLead()
      const first = await tenant.pixel(lead, other)
      expect([first.status, first.json]).toEqual([200, { lead_id: lead, event, status: 'received' }])
      for (const name of [event, other]) {
        const repeat = await tenant.pixel(lead, name)
        expect([repeat.status, repeat.json]).toEqual([200, { lead_id: lead, event, status: 'ignored' }])
      }
      const { events, callbacks } = await tenant.lead(lead)
      expect([events.length, callbacks.length]).toEqual([1, 1])
    },
  )

  it('and the body form are one: what one has recorded the other ignores [4.2/purpose] [4.3/rule-3]', async () => {
    const tenant = await createTenant(door)
    const [one, other] = [await tenant.distributedLead(), await tenant.distributedLead()]
    await tenant.report(one, { status: 'loan_issued' })
    expect((await tenant.pixel(one, 'approved')).json.status).toBe('ignored')
    expect((await tenant.pixel(other, 'approved')).json.status).toBe('received')
    expect((await tenant.report(other, { status: 'loan_issued' })).status).toBe(200)
    for (const lead of [one, other]) {
      const { events, callbacks } = await tenant.lead(lead)
      expect([events.length, callbacks.length]).toEqual([1, 1])
    }
  })

  it('needs no API key: its token is the HMAC over lead id and advertiser id [5/rule-1] [5/rule-2] [4.3/token]', async () => {
    const tenant = await createTenant(door)
    const lead = await tenant.distributedLead()
    const { advertiser_id, postback_secret } = tenant.advertiser()
    const token = createHmac('sha256', postback_secret).update(`${lead}:${advertiser_id}`).digest('hex')
    expect(await tenant.postback(lead)).toBe(`/api/v1/lead/${lead}/status?token=${token}`)
    const { json } = await door.request('GET', `/api/v1/lead/${lead}/status?token=${token}&event=approved`)
    expect(json.status).toBe('received')
  })

  it('answers a wrong token, an unknown lead and the token of another lead with one 401 [4.3/rule-1] [5/rule-3] [4.3/token]', async () => {
    const tenant = await createTenant(door)
    const [lead, other] = [await tenant.distributedLead(), await tenant.distributedLead()]
    const fresh = (await tenant.submit({ 'product_data.loan_amount': 60_000 })).json.lead_id
    const [token, otherToken] = await Promise.all(
      [lead, other].map(async id => new URLSearchParams((await tenant.postback(id)).split('?')[1]).get('token') ?? ''),
    )
    const fire = (id: string, query: string) => door.request('GET', `/api/v1/lead/${id}/status?${query}`)
    const replies = await Promise.all([
      fire(lead, 'event=approved'),
      fire(lead, 'token=&event=approved'),
      fire(lead, `token=${'0'.repeat(64)}&event=approved`),
      fire(lead, `token=${token?.toUpperCase()}&event=approved`),
      fire(lead, `token=${token?.slice(1)}&event=approved`),
      fire(lead, `token=${otherToken}&event=approved`),
      fire(unknownLead, `token=${token}&event=approved`),
      fire(fresh, `token=${token}&event=approved`),
      fire('not-a-uuid', `token=${token}&event=approved`),
      fire(lead, `token=${token}&event=approved&apikey=${tenant.advertiserKey()}`),
    ])
    for (const { status, text } of replies) expect([status, text]).toEqual([401, replies[0]?.text])
    expect((await tenant.lead(lead)).events).toEqual([])
  })

  it('judges the token before all else [4.3/rule-1]', async () => {
    const tenant = await createTenant(door)
    const lead = await tenant.distributedLead()
    for (const query of ['', '?event=nonsense', '?token=x&token=y&event=a&event=b', `?ref=${'r'.repeat(300)}`])
      expect((await door.request('GET', `/api/v1/lead/${lead}/status${query}`)).status).toBe(401)
  })

  it.each([
    ['an event that is not known', 'nonsense', '', 'event'],
    ['converted, which is no event of the pixel', 'converted', '', 'event'],
    ['an event in capital letters', 'APPROVED', '', 'event'],
    ['an empty event', '', '', 'event'],
    ['an event given twice', 'approved', '&event=approved', 'event'],
    ['a reference given twice', 'approved', '&ref=1&ref=2', 'ref'],
    ['a reference that is too long', 'approved', `&ref=${'r'.repeat(256)}`, 'ref'],
  ])('refuses %s with 400 [4.3/event] [4.3/ref]', async (_title, event, more, field) => {
    const tenant = await createTenant(door)
    const lead = await tenant.distributedLead()
    const { status, json } = await tenant.pixel(lead, event, more)
    expect([status, json.error]).toEqual([400, 'validation_error'])
    expect(json.details.map((detail: { field: string }) => detail.field)).toContain(field)
    expect((await tenant.lead(lead)).events).toEqual([])
  })

  it('refuses a call without an event, and one with the token given twice, with 400 [4.3/event]', async () => {
    const tenant = await createTenant(door)
    const lead = await tenant.distributedLead()
    const postback = await tenant.postback(lead)
    const { json } = await door.request('GET', postback)
    expect(json.details).toEqual([{ field: 'event', issue: 'is required' }])
    expect((await door.request('GET', `${postback}&event=approved&token=x`)).status).toBe(400)
  })

  it('keeps the reference of the advertiser, up to 255 characters [4.3/ref]', async () => {
    const tenant = await createTenant(door)
    const lead = await tenant.distributedLead()
    await tenant.pixel(lead, 'registration', '&ref=A%26B%20%C3%B1')
    await tenant.pixel(lead, 'approved', `&ref=${'r'.repeat(255)}`)
    const { events } = await tenant.lead(lead)
    expect(events).toMatchObject([
      { event: 'registration', ref: 'A&B ñ', via: 'pixel' },
      { event: 'approved', ref: 'r'.repeat(255) },
    ])
  })

  it('ignores parameters that it does not know', async () => {
    const tenant = await createTenant(door)
    const lead = await tenant.distributedLead()
    expect((await tenant.pixel(lead, 'approved', '&utm_source=x&__proto__=y&constructor=z')).json.status).toBe(
      'received',
    )
  })

  it('records nothing by HEAD: a link preview is no report', async () => {
    const tenant = await createTenant(door)
    const lead = await tenant.distributedLead()
    const { status, headers } = await door.request('HEAD', `${await tenant.postback(lead)}&event=approved`)
    expect([status, headers.allow?.includes('GET')]).toEqual([405, true])
    expect((await tenant.lead(lead)).events).toEqual([])
  })
})
