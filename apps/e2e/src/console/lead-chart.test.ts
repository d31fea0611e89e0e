import { readFile } from 'node:fs/promises'
import { createTestLeads } from '@lead-distribution/contract/test-leads'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { hasBrowser } from '../browser/open-browser.ts'
import { expectFlawless, openForFile, screens, turnTo } from './console.fixture.ts'
import { submitLead } from './submit-lead.ts'

const { createTenant, openPage } = openForFile()

/** A lead whose callback fails twice, and whose advertiser reports once more after 30 days. */
async function tenantWithStory() {
  const tenant = await createTenant()
  await tenant.update({ settings: { lifecycle: [{ event: 'completed', after: 'P30D' }] } })
  await tenant.clock.freeze()
  await tenant.clock.set('2030-06-15T12:00:00Z')
  await tenant.inbox.change({ status: 503, times: 2 })
  const leads = createTestLeads(tenant.account, { today: new Date('2030-06-15') })
  const lead = leads.distributed()
  const { lead_id } = await submitLead(tenant.account, lead)
  await tenant.clock.advance({ by: 'PT4M' })
  await tenant.leads.trigger(lead_id, { event: 'approved' })
  return { tenant, lead_id, email: lead.customer.contact.email.address }
}

const chartOf = (page: Page) => page.getByRole('img', { name: 'Timeline, drawn to scale' })

/** The texts of the chart, in the order in which they are drawn. */
const textsOf = (page: Page) => chartOf(page).locator('text').allTextContents()

/** Downloads the image; resolves to its name, its size, and the color of its first pixel. */
async function imageOf(page: Page) {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as image' }).click(),
  ])
  const bytes = await readFile(await download.path())
  const paper = await page.evaluate(async base64 => {
    const blob = new Blob([Uint8Array.from(atob(base64), letter => letter.charCodeAt(0))], { type: 'image/png' })
    const bitmap = await createImageBitmap(blob)
    const context = new OffscreenCanvas(1, 1).getContext('2d')
    context?.drawImage(bitmap, 0, 0)
    return [...(context?.getImageData(0, 0, 1, 1).data ?? [])].slice(0, 3)
  }, bytes.toString('base64'))
  return { name: download.suggestedFilename(), width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), paper }
}

describe.skipIf(!hasBrowser)('the timeline of a lead', () => {
  it('shows retried callbacks and a month without events, live, on each screen', async () => {
    const { tenant, lead_id } = await tenantWithStory()
    const { page, complaints, show } = await openPage()
    await show(`${tenant.name}/leads/${lead_id}`)
    await chartOf(page).getByText('due', { exact: true }).waitFor()
    await tenant.clock.advance({ by: 'P30D' })
    await chartOf(page).getByText('loan_paid', { exact: true }).waitFor()
    const texts = await textsOf(page)
    const names = ['Publisher', 'Service', 'Advertiser', 'Your receiver']
    expect(texts).toEqual(expect.arrayContaining([...names, 'Submitted', 'Distributed', 'Reports approved', '4 min']))
    expect(texts.filter(text => text === 'loan_issued')).toHaveLength(3)
    expect(texts.filter(text => text.startsWith('503'))).toHaveLength(2)
    expect(texts.filter(text => /^29 d/.test(text))).toHaveLength(1)
    await expectFlawless(page)
    await page.getByRole('link', { name: 'Callback for loan_paid delivered' }).waitFor()
    expect(complaints).toEqual([])
  })

  it('becomes an image in the colors of the page, without the customer', async () => {
    const { tenant, lead_id, email } = await tenantWithStory()
    const { page, complaints, show } = await openPage()
    await show(`${tenant.name}/leads/${lead_id}`)
    await chartOf(page).waitFor()
    const light = await imageOf(page)
    expect(light).toMatchObject({ name: `lead-${lead_id.slice(-8)}.png`, width: 1920, paper: [255, 255, 255] })
    await turnTo(page, screens[1])
    const dark = await imageOf(page)
    // It is as wide on a phone.
    expect(dark).toMatchObject({ width: 1920, height: light.height })
    expect(Math.max(...dark.paper)).toBeLessThan(64)
    expect((await textsOf(page)).join()).not.toContain(email)
    expect(complaints).toEqual([])
  })

  it('shows that a rejected lead reached nobody', async () => {
    const tenant = await createTenant()
    const { lead_id } = await submitLead(tenant.account, createTestLeads(tenant.account).incomeInsufficient())
    const { page, show } = await openPage(screens[1])
    await show(`${tenant.name}/leads/${lead_id}`)
    await chartOf(page).getByText('income insufficient').waitFor()
    expect(await chartOf(page).locator('.mark').count()).toBe(2)
  })
})
