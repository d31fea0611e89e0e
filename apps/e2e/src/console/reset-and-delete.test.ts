import { createTestLeads } from '@lead-distribution/contract/test-leads'
import type { Tenant } from '@lead-distribution/control-client'
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

describe.skipIf(!hasBrowser)('what the page asks about', () => {
  it('keeps the state before a reset as a snapshot, and restores it', async () => {
    const { tenant, page } = await openTenant(screens[1])
    await page.getByRole('button', { name: 'Reset the tenant' }).click()
    const dialog = page.getByRole('dialog').last()
    await dialog.getByText('They are saved as the snapshot before-reset first.').waitFor()
    await dialog.getByRole('button', { name: 'Reset the tenant' }).click()
    await page.getByText('The tenant is reset.').waitFor()
    expect([await leadsOf(tenant), await violationsOf(page), await overflowOf(page)]).toEqual([0, [], 0])
    await page.getByRole('button', { name: 'Restore before-reset' }).click()
    await dialog.getByRole('button', { name: 'Restore' }).click()
    await page.getByText('Restored.').waitFor()
    expect(await leadsOf(tenant)).toBe(1)
    await page.getByRole('button', { name: 'Restore before-restore' }).waitFor()
  })

  it('deletes a tenant only after its name is typed', async () => {
    const { tenant, page } = await openTenant()
    await page.getByRole('button', { name: /^Tenant .* Switch$/ }).click()
    await page.getByRole('button', { name: /^Delete/ }).click()
    const dialog = page.getByRole('dialog').last()
    const button = dialog.getByRole('button', { name: `Delete ${tenant.name}` })
    const field = dialog.getByLabel(`Type ${tenant.name} to confirm`)
    await field.fill(tenant.name.slice(0, -1))
    expect([await button.isDisabled(), await violationsOf(page)]).toEqual([true, []])
    await field.fill(tenant.name)
    await button.click()
    await page.getByText(`The tenant ${tenant.name} is deleted.`).waitFor()
    await expect(tenant.show()).rejects.toThrow('No tenant has this name')
  })
})
