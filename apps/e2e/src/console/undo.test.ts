import { createTestLeads } from '@lead-distribution/contract/test-leads'
import type { Tenant } from '@lead-distribution/control-client'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { hasBrowser } from '../browser/open-browser.ts'
import { openForFile, overflowOf, screens, violationsOf } from './console.fixture.ts'
import { submitLead } from './submit-lead.ts'

const { createTenant, openPage } = openForFile()

/** A tenant with a lead, and a page that shows its snapshots. */
async function openTenant(screen: (typeof screens)[number] = screens[0]) {
  const tenant = await createTenant()
  await submitLead(tenant.account, createTestLeads(tenant.account).distributed())
  const { page, show } = await openPage(screen)
  await show(`${tenant.name}/snapshots`)
  return { tenant, page }
}

const leadsOf = async (tenant: Tenant) => (await tenant.leads.list()).leads.length

/** Confirms what a dialog asks. */
async function confirm(page: Page, label: string): Promise<void> {
  const dialog = page.getByRole('dialog').last()
  await dialog.getByText('You can undo this for an hour.').waitFor()
  await dialog.getByRole('button', { name: label }).click()
  await dialog.waitFor({ state: 'detached' })
}

/** Presses a button by the keyboard alone. */
async function press(page: Page, name: string): Promise<void> {
  const button = page.getByRole('status').getByRole('button', { name })
  await button.waitFor()
  for (let tabs = 0; tabs < 100; tabs++) {
    if (await button.evaluate(element => element === document.activeElement)) return page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
  }
  expect.fail(`The button ${name} is not reached by the tab key.`)
}

describe.skipIf(!hasBrowser)('undo on the page', () => {
  it('takes a reset back, by keyboard alone', async () => {
    const { tenant, page } = await openTenant(screens[1])
    await page.getByRole('button', { name: 'Reset the tenant' }).click()
    await confirm(page, 'Reset the tenant')
    await page.getByText('The tenant is reset.').waitFor()
    expect([await leadsOf(tenant), await violationsOf(page), await overflowOf(page)]).toEqual([0, [], 0])
    await page.getByText('automatic').waitFor()
    await press(page, 'Undo')
    await page.getByText('Undone.').waitFor()
    expect(await leadsOf(tenant)).toBe(1)
  })

  it('takes a restore back', async () => {
    const { tenant, page } = await openTenant()
    await page.getByLabel('Name').fill('one')
    await page.getByRole('button', { name: 'Save a snapshot' }).click()
    await page.getByRole('button', { name: 'Restore one' }).waitFor()
    await submitLead(tenant.account, createTestLeads(tenant.account).distributed())
    await page.getByRole('button', { name: 'Restore one' }).click()
    await confirm(page, 'Restore')
    await page.getByText('Restored.').waitFor()
    expect(await leadsOf(tenant)).toBe(1)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone.').waitFor()
    expect(await leadsOf(tenant)).toBe(2)
  })

  it('brings a deleted tenant back, and shows it', async () => {
    const { tenant, page } = await openTenant()
    await page.getByRole('button', { name: /^Tenant .* Switch$/ }).click()
    await page.getByRole('button', { name: /^Delete/ }).click()
    await confirm(page, `Delete ${tenant.name}`)
    await page.getByText(`The tenant ${tenant.name} is deleted.`).waitFor()
    await expect(tenant.show()).rejects.toThrow('No tenant has this name')
    await press(page, 'Undo')
    await page.getByText(`The tenant ${tenant.name} is back.`).waitFor()
    await page.getByRole('button', { name: `Tenant ${tenant.name}. Switch` }).waitFor()
    expect(await leadsOf(tenant)).toBe(1)
  })

  it('is dismissed with its message', async () => {
    const { page } = await openTenant()
    await page.getByRole('button', { name: 'Reset the tenant' }).click()
    await confirm(page, 'Reset the tenant')
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
  })
})
