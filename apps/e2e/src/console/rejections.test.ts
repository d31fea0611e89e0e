import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { describe, expect, it } from 'vitest'
import { hasBrowser } from '../browser/open-browser.ts'
import { expectFlawless, openForFile } from './console.fixture.ts'
import { submitLead } from './submit-lead.ts'

const { createTenant, openPage } = openForFile()

/** A tenant whose only customer has a lead, then was rejected for each reason that creates no lead. */
async function tenantWithRejections() {
  const tenant = await createTenant()
  await tenant.update({ settings: { semantic_refusals: 'rejected_200' } })
  const leads = createTestLeads(tenant.account)
  const lead = leads.distributed()
  const { lead_id } = await submitLead(tenant.account, lead)
  const email = lead.customer.contact.email.address
  const as = { customer: { contact: { email: { address: email } } } }
  for (const again of [lead, leads.unknownProduct(as), leads.consentsMissing(as)])
    await submitLead(tenant.account, again)
  return { tenant, leads, lead_id, email }
}

describe.skipIf(!hasBrowser)('a rejection that creates no lead', () => {
  it('is counted by the front page like by the coverage, and opens from there', async () => {
    const tenant = await createTenant()
    const leads = createTestLeads(tenant.account)
    const four = [1, 2, 3, 4].map(() => leads.distributed())
    for (const lead of [...four, ...four]) await submitLead(tenant.account, lead)
    const { page, show } = await openPage()
    await show(`${tenant.name}/overview`)
    await page.getByRole('link', { name: 'Distributed 4', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Rejected 4', exact: true }).waitFor()
    await expectFlawless(page)
    const { items } = await tenant.coverage()
    expect(items.find(({ name }) => name === 'rejected')?.count).toBe(4)
    await page.getByRole('link', { name: 'Customer already exists 4' }).click()
    await expect.poll(() => page.locator('tr.row').count()).toBe(4)
  })

  it('appears among the leads, says that no lead was created, and links to its request', async () => {
    const { tenant, email } = await tenantWithRejections()
    const { page, show } = await openPage()
    await show(`${tenant.name}/leads`)
    const rows = page.locator('tr.row')
    await expect.poll(() => rows.count()).toBe(4)
    expect(
      (await rows.allTextContents()).map(text => /[^.]+ · no lead was created|Distributed/.exec(text)?.[0]),
    ).toEqual([
      expect.stringMatching(/Consents missing/),
      expect.stringMatching(/Invalid product/),
      expect.stringMatching(/Customer already exists/),
      'Distributed',
    ])
    await expectFlawless(page)
    await page.getByRole('button', { name: 'Rejected' }).click()
    await expect.poll(() => rows.count()).toBe(3)
    await page.getByText('More filters').click()
    await page.getByLabel('Reason').selectOption('invalid_product')
    await expect.poll(() => rows.count()).toBe(1)
    await page.getByRole('link', { name: email }).click()
    await page.getByText('Decided by').waitFor()
    await page.getByRole('heading', { name: 'Every check, in order' }).waitFor()
  })

  it('appears in the list as it happens, on the page of its customer, and in the search', async () => {
    const { tenant, leads, lead_id, email } = await tenantWithRejections()
    const { page, show } = await openPage()
    await show(`${tenant.name}/leads/${lead_id}`)
    const others = page.locator('section').filter({ hasText: 'Other submissions of this customer' }).locator('li')
    await expect.poll(() => others.count()).toBe(3)
    await submitLead(
      tenant.account,
      leads.unknownProduct({ customer: { contact: { email: { address: email.toUpperCase() } } } }),
    )
    await expect.poll(() => others.count()).toBe(4)
    await expectFlawless(page)
    const nobody = { customer: { contact: { email: { address: 'nobody@example.com' } } } }
    await submitLead(tenant.account, leads.unknownProduct(nobody))
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Jump to' }).fill('nobody@')
    await page.getByRole('option', { name: /nobody@example\.com Invalid product · no lead was created/ }).click()
    await page.getByText('Decided by').waitFor()
    expect(page.url()).toMatch(/requests\/r\d+$/)
  })

  it('is not green: its 200 is about the transport, and its outcome has its own sign', async () => {
    const { tenant } = await tenantWithRejections()
    const { page, show } = await openPage()
    await show(`${tenant.name}/requests`)
    const row = page.locator('tr.row').filter({ hasText: 'Customer already exists' })
    await row.waitFor()
    expect(await row.locator('.badge.good').count()).toBe(0)
    expect(await row.locator('.badge.bad').allTextContents()).toEqual(['Rejected'])
    await row.getByRole('link').click()
    const details = page.locator('dl.facts')
    await details.locator('.badge.bad', { hasText: 'Rejected' }).waitFor()
    expect(await details.locator('.badge.good').count()).toBe(0)
    await expectFlawless(page)
  })
})
