import type { Tenant } from '@lead-distribution/control-client'
import { createTestLeads } from '@lead-distribution/test-leads'
import { describe, expect, it } from 'vitest'
import { hasBrowser } from '../browser/open-browser.ts'
import { openForFile } from './console.fixture.ts'
import { settled } from './open-console.ts'
import { submitLead } from './submit-lead.ts'

const { createTenant, openPage } = openForFile()

/** Submits a lead, but not on the page; resolves to its e-mail address. */
async function submitElsewhere({ account }: Tenant, tag: string): Promise<string> {
  const lead = createTestLeads(account, { tag }).distributed()
  await submitLead(account, lead)
  return lead.customer.contact.email.address
}

async function leadsOf(tenant: Tenant) {
  const { page, show } = await openPage()
  const asked: string[] = []
  page.on('request', request => asked.push(new URL(request.url()).pathname))
  const open = () => show(`${tenant.name}/leads`)
  return { page, asked, open }
}

describe.skipIf(!hasBrowser)('the page', () => {
  it('shows what happens elsewhere, and asks for nothing as long as nothing happens', async () => {
    const tenant = await createTenant()
    const { page, asked, open } = await leadsOf(tenant)
    await open()
    await page.getByRole('heading', { name: 'No leads yet' }).waitFor()
    await settled(page)
    const before = asked.length
    await new Promise(resolve => setTimeout(resolve, 2_500))
    expect(asked.slice(before)).toEqual([])
    await page.getByRole('link', { name: await submitElsewhere(tenant, 'first') }).waitFor()
    await settled(page)
    expect(asked.slice(before).filter(path => !path.endsWith('/leads'))).toEqual([])
  })

  it('says that it reconnects where it has no stream, reads what is new nevertheless, and goes on with one', async () => {
    const tenant = await createTenant()
    const { page, open } = await leadsOf(tenant)
    let isBroken = true
    await page.route(/\/events$/, route => (isBroken ? route.abort() : route.continue()))
    await open()
    await page.getByText('Reconnecting').waitFor()
    await page.getByRole('link', { name: await submitElsewhere(tenant, 'without') }).waitFor()
    isBroken = false
    await page.getByText('Reconnecting').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: await submitElsewhere(tenant, 'with') }).waitFor()
  })
})
