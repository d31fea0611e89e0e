import { createTestLeads } from '@lead-distribution/contract/test-leads'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { hasBrowser } from '../browser/open-browser.ts'
import { openForFile, overflowOf, screens, violationsOf } from './console.fixture.ts'
import { submitLead } from './submit-lead.ts'

const { createTenant, openPage } = openForFile()

const longAddress = `${'a-very-long-name.'.repeat(2)}and-a-longer-one@a-company.example`

/** A tenant with one lead, whose customer's e-mail address has more than 60 characters. */
async function tenantWithLead() {
  const tenant = await createTenant()
  const leads = createTestLeads(tenant.account)
  await submitLead(tenant.account, leads.distributed({ customer: { contact: { email: { address: longAddress } } } }))
  return { name: tenant.name, submit: () => submitLead(tenant.account, leads.ageRestricted()) }
}

const headersOf = (page: Page) => page.getByRole('columnheader').allTextContents()

const rowHeightOf = (page: Page) =>
  page
    .locator('tr.row')
    .first()
    .evaluate(row => row.getBoundingClientRect().height)

describe.skipIf(!hasBrowser)('a table', () => {
  it('hides the least important columns that do not fit, and shows them again', async () => {
    expect(longAddress.length).toBeGreaterThan(60)
    const { name } = await tenantWithLead()
    const { page, show } = await openPage()
    await show(`${name}/leads`)
    await page.getByRole('link', { name: longAddress }).waitFor()
    const all = ['Status', 'Customer', 'Reason or advertiser', 'Loan', 'Product', 'Received (UTC)']
    await expect.poll(() => headersOf(page)).toEqual(all)
    await page.setViewportSize({ width: 1024, height: 768 })
    await expect.poll(() => headersOf(page)).toEqual(['Status', 'Customer', 'Reason or advertiser', 'Received (UTC)'])
    await show(`${name}/requests`)
    await expect.poll(() => headersOf(page)).toEqual(['Status', 'Request', 'Customer', 'Outcome', 'Time (UTC)'])
    await page.setViewportSize({ width: 1440, height: 900 })
    await expect.poll(() => headersOf(page)).toContain('Duration')
  })

  it("shows a request's outcome whole, however narrow", async () => {
    const tenant = await createTenant()
    const { distributed } = createTestLeads(tenant.account)
    const lead = distributed()
    for (let count = 0; count < 2; count++) await submitLead(tenant.account, lead)
    const { page, show } = await openPage()
    for (const width of [1440, 1280, 1024]) {
      await page.setViewportSize({ width, height: 800 })
      await show(`${tenant.name}/requests`)
      const outcome = page.getByRole('cell', { name: 'Rejected Customer already exists' })
      await outcome.waitFor()
      expect(await outcome.evaluate(cell => cell.scrollWidth - cell.clientWidth), `${width}`).toBe(0)
    }
  })

  it('shows a row as a card on a phone, with the whole address, and does not scroll sideways', async () => {
    const { name } = await tenantWithLead()
    const { page, show } = await openPage(screens[1])
    await show(`${name}/leads`)
    const link = page.getByRole('link', { name: longAddress })
    await link.waitFor()
    expect(await headersOf(page)).toEqual(['Leads'])
    expect(await overflowOf(page)).toBe(0)
    const isCut = (element: Element) =>
      element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight
    expect(await page.locator('.table-scroll').evaluate(table => table.scrollWidth - table.clientWidth)).toBe(0)
    expect(await link.evaluate(isCut)).toBe(false)
    expect(await violationsOf(page)).toEqual([])
    // The whole card is the target, not only the address.
    const card = await page.locator('tr.row').first().boundingBox()
    await page.mouse.click((card?.x ?? 0) + (card?.width ?? 0) / 2, (card?.y ?? 0) + (card?.height ?? 0) - 8)
    await page.getByRole('heading', { level: 1, name: longAddress }).waitFor()
    expect(await overflowOf(page)).toBe(0)
  })

  it('shows skeletons until its first rows arrive', async () => {
    const { name } = await tenantWithLead()
    const { page, show } = await openPage()
    const answer = Promise.withResolvers<void>()
    await page.route(/\/submissions\?/, async route => {
      await answer.promise
      await route.continue()
    })
    await show(`${name}/leads`)
    await page.locator('[aria-busy="true"] .skeleton').first().waitFor({ state: 'attached' })
    answer.resolve()
    await page.getByRole('link', { name: longAddress }).waitFor()
    expect(await page.locator('.skeleton').count()).toBe(0)
  })

  it.each([
    { motion: 'fades in only a new row', reducedMotion: 'no-preference', faded: 1 },
    { motion: 'animates nothing for a reader who prefers reduced motion', reducedMotion: 'reduce', faded: 0 },
  ] as const)('$motion', async ({ reducedMotion, faded }) => {
    const { name, submit } = await tenantWithLead()
    const { page, show } = await openPage()
    await page.emulateMedia({ reducedMotion })
    await page.addInitScript(() => {
      const { animate } = Element.prototype
      Element.prototype.animate = function (...given) {
        this.setAttribute('data-animated', '')
        return animate.apply(this, given)
      }
    })
    await show(`${name}/leads`)
    await page.getByRole('link', { name: longAddress }).waitFor()
    expect(await page.locator('[data-animated]').count()).toBe(0)
    await submit()
    await page.getByRole('cell', { name: 'Age restriction' }).waitFor()
    expect(await page.locator('tr.row[data-animated]').count()).toBe(faded)
  })

  it("is compact by default, and keeps the reader's choice after a reload", async () => {
    const { name, submit } = await tenantWithLead()
    const { page, show } = await openPage()
    await show(`${name}/leads`)
    await page.getByRole('link', { name: longAddress }).waitFor()
    const compact = await rowHeightOf(page)
    await page.getByRole('button', { name: 'Density: compact. Switch to comfortable' }).click()
    await expect.poll(() => rowHeightOf(page)).toBeGreaterThan(compact)
    await page.reload()
    await page.getByRole('link', { name: longAddress }).waitFor()
    expect(await rowHeightOf(page)).toBeGreaterThan(compact)
    await submit()
    await page.getByRole('cell', { name: 'Age restriction' }).waitFor()
    expect(await violationsOf(page)).toEqual([])
  })
})
