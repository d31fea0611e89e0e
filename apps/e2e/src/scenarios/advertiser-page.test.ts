import { createMemoryStorage } from '@lead-distribution/simulator'
import { expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { openMemoryAdapter } from '../adapters/memory-adapter.ts'
import { createTenant } from '../adapters/tenant.ts'

inMemory('the simulated advertiser', adapter => {
  const pageOf = async (redirect_url: string) => {
    const { pathname, origin } = new URL(redirect_url)
    expect(origin).toBe(adapter.url)
    return adapter.request('GET', pathname)
  }

  const tokenOf = (page: string) => /name="token" value="([^"]+)"/.exec(page)?.[1] ?? ''
  /** Returns the page's text after submitting its form with these values. */
  const pressed = async (redirect_url: string, form: Record<string, string>) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const body = String(new URLSearchParams(form))
    const { status, text } = await adapter.request('POST', new URL(redirect_url).pathname, { headers, body })
    expect(status).toBe(200)
    return text.replaceAll('&#34;', '"')
  }

  it('shows the figures, and a button for each event that fires the real pixel [4.3/rule-2] [9/rule-1]', async () => {
    const tenant = await createTenant(adapter)
    const { json } = await tenant.submit()
    const { status, headers, text } = await pageOf(json.redirect_url)
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toContain('5000 euros over 24 months')
    const token = tokenOf(text)
    const events = [...text.matchAll(/<button name="event" value="([^"]+)"/g)].map(([, event]) => event)
    expect(events).toEqual(['registration', 'approved', 'rejected', 'completed', 'defaulted'])
    for (const event of events) {
      const shown = await pressed(json.redirect_url, { token, event: event ?? '' })
      expect(shown).toContain(`The service recorded ${event}, and sends a callback to the publisher.`)
    }
    expect((await tenant.inbox(5)).map(({ lead_id }) => lead_id)).toEqual(Array(5).fill(json.lead_id))
  })

  it('shows no customer data, runs no script, and cannot be framed', async () => {
    const tenant = await createTenant(adapter)
    const { json } = await tenant.submit()
    const { headers, text } = await pageOf(json.redirect_url)
    expect(text).not.toMatch(/Prueba|customer-1|<script/)
    expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
  })

  it('escapes data from the lead, its events and the request', async () => {
    const attack = '<script>alert(1)</script>'
    const storage = createMemoryStorage()
    const opened = await openMemoryAdapter({ storage })
    const tenant = await createTenant(opened, { settings: { status_vocabulary: 'any' } })
    const { json } = await tenant.submit({ 'customer.personal_data.first_name': attack })
    await tenant.report(json.lead_id, { status: attack })
    await tenant.change({
      advertisers: [{ advertiser_id: tenant.advertiser().advertiser_id, name: attack, postback_secret: attack }],
    })
    const { pathname } = new URL(json.redirect_url)
    const form = String(new URLSearchParams({ token: attack, event: attack }))
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    // A record that an earlier version read from an unchecked file.
    await storage.of(tenant.account.tenant).transact(async tables => {
      const lead = await tables.findLead(json.lead_id)
      const product_data = { loan_amount: attack, loan_term_months: attack, loan_purpose: attack }
      Object.assign(lead?.submission ?? {}, { product_data })
    })
    for (const page of [
      await opened.request('GET', pathname),
      await opened.request('POST', pathname, { headers, body: form }),
    ]) {
      expect(page.status).toBe(200)
      expect(page.text).toContain('&#60;script&#62;alert(1)&#60;/script&#62; euros over')
      expect(page.text).not.toContain('<script')
    }
    await opened.close()
  })
})
