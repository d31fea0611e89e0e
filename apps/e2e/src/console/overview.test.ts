import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { describe, expect, it } from 'vitest'
import { hasBrowser } from '../browser/open-browser.ts'
import { expectFlawless, openForFile, settled, violationsOf } from './console.fixture.ts'
import { Keyboard } from './keyboard.ts'
import { submitLead } from './submit-lead.ts'

const { createTenant, openPage } = openForFile()

/** A tenant at noon with two leads in that minute, one of them rejected. */
async function tenantWithLeads() {
  const tenant = await createTenant()
  await tenant.clock.freeze()
  await tenant.clock.set('2030-06-15T12:00:00Z')
  const leads = createTestLeads(tenant.account, { today: new Date('2030-06-15') })
  const { lead_id } = await submitLead(tenant.account, leads.distributed())
  const rejected = leads.ageRestricted()
  await submitLead(tenant.account, rejected)
  return { tenant, leads, lead_id, rejected: rejected.customer.contact.email.address }
}

describe.skipIf(!hasBrowser)('the front page of a tenant', () => {
  it('says how to begin if nothing has happened, and shows no key', async () => {
    const tenant = await createTenant()
    const { page, complaints, elsewhere, show } = await openPage()
    await show(tenant.name)
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.getByText('Show the curl command').click()
    await page.getByText(`curl -sS '${tenant.account.base_url}/lead'`).waitFor()
    expect(await page.content()).not.toContain(tenant.account.publisher.api_key)
    // It runs with the variables of an `.env` file.
    const command = await page.locator('pre', { hasText: 'curl -sS' }).textContent()
    expect(command).toContain('"apikey: $LEAD_PUBLISHER_API_KEY"')
    for (const name of ['Submit a first lead', 'Open the guides', 'Open the reference'])
      await page.getByRole('link', { name }).waitFor()
    await expectFlawless(page)
    await submitLead(tenant.account, createTestLeads(tenant.account).distributed())
    await page.getByRole('heading', { name: 'Submissions per minute' }).waitFor()
    expect([complaints, elsewhere]).toEqual([[], []])
  })

  it('counts live what happens elsewhere, and no more often than every two seconds', async () => {
    const { tenant, leads, lead_id } = await tenantWithLeads()
    const { page, show } = await openPage()
    let reads = 0
    page.on('request', request => {
      if (request.url().includes('/activity')) reads++
    })
    const begun = Date.now()
    await show(`${tenant.name}/overview`)
    await page.getByRole('link', { name: 'Distributed 1', exact: true }).waitFor()
    for (let count = 0; count < 30; count++) await submitLead(tenant.account, leads.distributed())
    await tenant.leads.trigger(lead_id, { event: 'approved' })
    await page.getByRole('link', { name: 'Distributed 31', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Delivered 1', exact: true }).waitFor()
    await page.getByRole('link', { name: /^Submit a lead \(32\) p50 .*p99 / }).waitFor()
    await settled(page)
    expect(reads).toBeLessThanOrEqual(2 + (Date.now() - begun) / 2_000)
  })

  it('keeps its period in the address', async () => {
    const { tenant } = await tenantWithLeads()
    await tenant.clock.advance({ by: 'PT2H' })
    const { page, show } = await openPage()
    await show(`${tenant.name}/overview`)
    await page.getByText('No submissions in the last hour.').waitFor()
    await page.getByRole('button', { name: 'Last day' }).click()
    await page.getByRole('link', { name: 'Rejected 1', exact: true }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Submissions per 30 minutes' }).waitFor()
    await page.getByRole('link', { name: 'Rejected 1', exact: true }).waitFor()
  })

  it('opens what a bar counts, by keyboard alone, or by the table of the chart', async () => {
    const { tenant, leads, rejected } = await tenantWithLeads()
    await tenant.clock.advance({ by: 'PT1M' })
    await submitLead(tenant.account, leads.distributed())
    const { page, show } = await openPage()
    const keyboard = new Keyboard(page)
    await show(`${tenant.name}/overview`)
    // The tab key reaches the newest bar, the arrow keys the others.
    await keyboard.reach(page.getByRole('link', { name: '12:01: 1 distributed' }))
    await page.keyboard.press('ArrowLeft')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      '12:00: 1 distributed, 1 rejected',
    )
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Leads' }).waitFor()
    const search = new URLSearchParams(new URL(page.url()).hash.split('?')[1])
    expect(Object.fromEntries(search)).toEqual({ from: '2030-06-15T12:00:00.000Z', to: '2030-06-15T12:01:00.000Z' })
    await page.goBack()
    await keyboard.press('link', 'Age restriction 1')
    await page.getByRole('link', { name: rejected }).waitFor()
    expect(page.url()).toContain('status=rejected&reason=age_restriction&from=')
    await page.goBack()
    await page.getByText('Show as a table').click()
    await page.getByRole('row', { name: '12:00 1 distributed, 1 rejected' }).waitFor()
    expect(await violationsOf(page)).toEqual([])
  })
})
