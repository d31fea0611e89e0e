import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { createSandboxClient } from '@lead-distribution/control-client'
import { startServer } from '@lead-distribution/sandbox'
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hasBrowser, sharedBrowser } from '../browser/open-browser.ts'
import { expectFlawless, openConsole, openForFile, screens, settled } from './console.fixture.ts'
import { submitLead } from './submit-lead.ts'

const { createTenant, openPage } = openForFile()

/** Longer than the page waits before it connects again, in milliseconds. */
const quietMs = 3_000

/** The paths that a page asks for about a tenant, from now on. */
function requestsAbout(page: Page, tenant: string): string[] {
  const paths: string[] = []
  page.on('request', request => {
    const { pathname } = new URL(request.url())
    if (pathname.includes(`/tenants/${tenant}`)) paths.push(pathname)
  })
  return paths
}

const messages = (page: Page) => page.locator('.toast').count()

describe.skipIf(!hasBrowser)('a page whose tenant is not there', () => {
  it('says so once the tenant is deleted, offers the others, asks for nothing more, and opens it if it comes back', async () => {
    const tenant = await createTenant({ name: 'gone-soon' })
    const other = await createTenant({ name: 'still-there' })
    const { lead_id } = await submitLead(tenant.account, createTestLeads(tenant.account).distributed())
    const { page, show } = await openPage()
    await show(`gone-soon/leads/${lead_id}`)
    await page.getByText('Passed the checks').waitFor()
    await settled(page)
    const asked = requestsAbout(page, 'gone-soon')
    await tenant.delete()
    await page.getByRole('heading', { name: 'There is no tenant gone-soon' }).waitFor()
    await page.getByRole('button', { name: other.name }).waitFor()
    expect(await page.getByRole('button', { name: 'gone-soon' }).count()).toBe(0)
    await settled(page)
    const before = asked.length
    await new Promise(resolve => setTimeout(resolve, quietMs))
    expect([asked.slice(before), await messages(page)]).toEqual([[], 0])
    await createTenant({ name: 'gone-soon' })
    await page.getByRole('button', { name: 'Tenant gone-soon. Switch' }).waitFor()
    await page.getByRole('heading', { name: "This lead isn't here" }).waitFor()
  })

  it('goes on with a tenant that was deleted and created again at once', async () => {
    const tenant = await createTenant({ name: 'recreated' })
    await submitLead(tenant.account, createTestLeads(tenant.account, { tag: 'old' }).distributed())
    const { page, show } = await openPage()
    await show('recreated/leads')
    await page.getByRole('link', { name: 'lead-1-old@example.com' }).waitFor()
    await settled(page)
    await tenant.delete()
    const again = await createTenant({ name: 'recreated' })
    await page.getByRole('heading', { name: 'No leads yet' }).waitFor()
    await submitLead(again.account, createTestLeads(again.account, { tag: 'new' }).distributed())
    await page.getByRole('link', { name: 'lead-1-new@example.com' }).waitFor()
  })

  it('says so in every tab once one of them deletes the tenant', async () => {
    const tenant = await createTenant()
    const { page, show } = await openPage()
    const { page: tab, show: showInTab } = await openPage()
    await show(`${tenant.name}/callbacks`)
    await showInTab(`${tenant.name}/clock`)
    await tab.getByRole('heading', { name: 'Time line' }).waitFor()
    await page.getByRole('button', { name: /^Tenant .* Switch$/ }).click()
    await page.getByRole('button', { name: /^Delete/ }).click()
    const dialog = page.getByRole('dialog').last()
    await dialog.getByLabel(`Type ${tenant.name} to confirm`).fill(tenant.name)
    await dialog.getByRole('button', { name: `Delete ${tenant.name}` }).click()
    await page.getByRole('button', { name: 'Tenant demo. Switch' }).waitFor()
    await tab.getByRole('heading', { name: `There is no tenant ${tenant.name}` }).waitFor()
    await tab.getByRole('button', { name: 'demo' }).click()
    await tab.getByRole('button', { name: 'Tenant demo. Switch' }).waitFor()
  })

  it('says so for a link to a tenant that does not exist', async () => {
    const { page, show } = await openPage()
    const asked = requestsAbout(page, 'nobody')
    await show('nobody/leads')
    await page.getByRole('heading', { name: 'There is no tenant nobody' }).waitFor()
    await settled(page)
    expect(asked.length).toBe(new Set(asked).size)
    const before = asked.length
    await new Promise(resolve => setTimeout(resolve, quietMs))
    expect([asked.slice(before), await messages(page)]).toEqual([[], 0])
    await expectFlawless(page)
  })

  it('offers to sign in again once the tenant of its token is deleted', async () => {
    const adminToken = 'a-token-of-the-test'
    const shared = await startServer({ port: 0, logLevel: 'silent', adminToken })
    onTestFinished(() => shared.close())
    const team = await createSandboxClient({ baseUrl: shared.url, adminToken }).createTenant({ name: 'team' })
    const { token } = await team.tokens.create({ role: 'write' })
    const { page } = await openConsole(await sharedBrowser(), shared.url, screens[0])
    await page.goto(`${shared.url}/_sandbox/#/team/leads`)
    await page.getByLabel('Admin token').fill(token)
    await page.getByRole('button', { name: 'Open the console' }).click()
    await page.getByRole('heading', { name: 'No leads yet' }).waitFor()
    await settled(page)
    const asked = requestsAbout(page, 'team')
    await team.delete()
    await page.getByRole('heading', { name: 'Your token no longer opens the tenant team' }).waitFor()
    await settled(page)
    const before = asked.length
    await new Promise(resolve => setTimeout(resolve, quietMs))
    expect([asked.slice(before), await messages(page)]).toEqual([[], 0])
    await page.getByLabel('Admin token').fill(adminToken)
    await page.getByRole('button', { name: 'Open the console' }).click()
    await page.getByRole('heading', { name: 'There is no tenant team' }).waitFor()
    await page.getByRole('button', { name: 'demo' }).waitFor()
  })
})
