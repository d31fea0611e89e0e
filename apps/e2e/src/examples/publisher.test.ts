import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { filledIn, type Loop, openLoop } from './open-loop.ts'

let loop: Loop
let site: string
beforeEach(async () => {
  loop = await openLoop()
  site = await loop.startPublisher()
})
afterEach(() => loop.close())

/** Sends the form as a browser does, without following the redirect. */
async function apply(changes: Record<string, string> = {}) {
  const body = new URLSearchParams({ application: randomUUID(), ...filledIn, ...changes })
  const response = await fetch(`${site}/apply`, { method: 'POST', body, redirect: 'manual' })
  return { status: response.status, to: response.headers.get('location'), page: await response.text() }
}

const resubmit = async () => (await fetch(`${site}/staff/resubmit`, { method: 'POST' })).json()
const eventsOf = async (lead_id: string) => (await fetch(`${site}/staff/leads/${lead_id}/events`)).text()
const notAgain = 'no need to send it again'

describe('the example publisher', () => {
  it('does not redirect while no advertiser has the lead', async () => {
    expect(await apply({ loan_amount: '60000' })).toMatchObject({
      status: 200,
      page: expect.stringContaining('Thank you'),
    })
    expect((await loop.onlyLead()).status).toBe('new')
  })

  it('shows a rejected customer a kind page without the reason', async () => {
    const { status, page } = await apply({ monthly_income: '400' })
    expect([status, page.includes('no offer for you'), /income|reason/.test(page)]).toEqual([200, true, false])
    expect((await loop.onlyLead()).rejection_reason).toBe('income_insufficient')
  })

  it('lists what to correct, and accepts the corrected form', async () => {
    const application = randomUUID()
    const wrong = await apply({ application, loan_amount: '499', email: 'planted.customer@' })
    expect([wrong.status, wrong.page.match(/<li>/g)?.length]).toEqual([422, 2])
    expect(wrong.page).toContain('product_data.loan_amount must be at least 500')
    const declined = await apply({ application, privacy_policy: '' })
    expect([declined.status, declined.page]).toEqual([422, expect.stringContaining('privacy_policy')])
    expect(await loop.tenant.wholeLeads()).toEqual([])
    expect((await apply({ application })).to).toBe((await loop.onlyLead()).redirect_url)
  })

  it('submits two identical concurrent forms as one lead, and shows both the same page', async () => {
    await loop.fault('submitLead', { latency_ms: 200 })
    const application = randomUUID()
    const [first, second] = await Promise.all([apply({ application }), apply({ application })])
    expect([first.to, (await apply({ application })).to]).toEqual([second.to, second.to])
    expect((await loop.onlyLead()).redirect_url).toBe(first.to)
    expect((await loop.tenant.control('GET', '/requests')).json.requests).toHaveLength(1)
  })

  it("never calls a customer rejected after a lost reply, and keeps the lead's callbacks", async () => {
    await loop.fault('submitLead', { lost_reply: true })
    const application = randomUUID()
    expect((await apply({ application })).page).toContain(notAgain)
    const { lead_id } = await loop.onlyLead()
    await loop.tenant.pixel(lead_id, 'approved')
    expect(await loop.tenant.settledCallbacks(lead_id)).toMatchObject([{ state: 'delivered' }])
    expect(await eventsOf(lead_id)).toBe('approved')

    expect(await resubmit()).toEqual(['rejected'])
    expect((await apply({ application })).page).toContain(notAgain)
    expect((await loop.onlyLead()).lead_id).toBe(lead_id)
  })

  it('learns by resending that a lead with an unknown outcome had not arrived', async () => {
    await loop.fault('submitLead', { reset: true })
    const application = randomUUID()
    expect((await apply({ application })).page).toContain(notAgain)
    expect(await resubmit()).toEqual(['distributed'])
    expect((await apply({ application })).to).toBe((await loop.onlyLead()).redirect_url)
    expect(await resubmit()).toEqual([])
  })

  it('still treats a lead as possibly its own if resending fails too', async () => {
    await loop.fault('submitLead', { lost_reply: true })
    const application = randomUUID()
    await apply({ application })
    await loop.fault('submitLead', { status: 429, retry_after: 0 }, 3)
    expect(await resubmit()).toEqual(['not_sent'])
    expect(await resubmit()).toEqual(['rejected'])
    expect((await apply({ application })).page).toContain(notAgain)
  })

  it('keeps an application that the service did not accept, and resends it', async () => {
    await loop.fault('submitLead', { status: 429, retry_after: 0 }, 3)
    expect((await apply()).page).toContain('Thank you')
    expect(await loop.tenant.wholeLeads()).toEqual([])
    expect(await resubmit()).toEqual(['distributed'])
  })

  it("records consent to the documents at its public address, whatever the request's host", async () => {
    site = await loop.startPublisher({ SITE_ORIGIN: 'https://loans.example' })
    const { hostname, port } = new URL(site)
    const headers = { host: 'evil.example', 'content-type': 'application/x-www-form-urlencoded' }
    // `fetch` would not let us choose the host.
    const sent = request({ hostname, port, path: '/apply?gclid=1', method: 'POST', headers })
    await new Promise((resolve, reject) => {
      sent.on('response', response => text(response).then(resolve, reject)).on('error', reject)
      sent.end(String(new URLSearchParams(filledIn)))
    })
    const { consents, tracking } = (await loop.onlyLead()).submission
    const origins = consents.entries.map(({ document_url }: { document_url: string }) => new URL(document_url).origin)
    expect(new Set(origins)).toEqual(new Set(['https://loans.example']))
    expect(tracking).toEqual({ click_id: '1', source: 'https://loans.example/apply' })
  })

  it('accepts a callback only with its secret, and each event once', async () => {
    await apply()
    const { lead_id } = await loop.onlyLead()
    const wrong = `${site}/callbacks/${'x'.repeat(43)}?lead_id=${lead_id}&event=loan_issued`
    expect((await fetch(wrong)).status).toBe(404)
    await loop.fault('callback', { duplicate: 2 })
    await loop.tenant.pixel(lead_id, 'approved')
    await loop.tenant.settledCallbacks(lead_id)
    const again = `${loop.tenant.account.publisher.callback_url}?lead_id=${lead_id}&event=loan_issued`
    expect((await fetch(again)).status).toBe(200)
    expect(await eventsOf(lead_id)).toBe('approved')
  })
})
