import { createTestLeads } from '@lead-distribution/contract/test-leads'
import type { Tenant } from '@lead-distribution/control-client'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { hasBrowser } from '../browser/open-browser.ts'
import { eachRow } from '../each-row.ts'
import { openForFile } from './console.fixture.ts'
import { submitLead } from './submit-lead.ts'

const { createTenant, openPage } = openForFile()

/** The maximum number of clicks for a job, from the overview. */
const most = 4

interface Desk {
  readonly page: Page
  readonly tenant: Tenant
  /** Clicks and counts it. Typing and choosing in a field do not count. */
  readonly click: (target: Locator) => Promise<void>
  /** Follows a navigation link, which counts as a click. */
  readonly go: (view: string) => Promise<void>
}

/** QA engineers' jobs. Each ends when the page shows its result. */
const jobs: Readonly<Record<string, (desk: Desk) => Promise<void>>> = {
  'submit a lead': async ({ page, click, go }) => {
    await go('Submit')
    await click(page.getByRole('button', { name: 'Send the lead' }))
    await page.getByRole('heading', { name: 'Decision' }).waitFor()
  },

  'find out why a lead was rejected': async ({ page, tenant, click, go }) => {
    await submitLead(tenant.account, createTestLeads(tenant.account, { tag: 'why' }).incomeInsufficient())
    await go('Leads')
    await click(page.getByRole('link', { name: /-why@example\.com$/ }))
    await page.getByText('Rejected: income insufficient').waitFor()
    await page
      .getByText(/threshold: /)
      .first()
      .waitFor()
  },

  'reproduce a reason': async ({ page, tenant, click, go }) => {
    await go('Coverage')
    await click(page.getByRole('link', { name: 'Open in Submit blacklisted' }))
    await click(page.getByRole('button', { name: 'Send the lead' }))
    await expect.poll(async () => (await tenant.leads.list({ reason: 'blacklisted' })).leads.length).toBe(1)
  },

  'freeze the clock and advance it': async ({ page, tenant, click, go }) => {
    await go('Clock')
    const before = Date.parse((await tenant.clock.show()).now)
    await click(page.getByRole('button', { name: 'Freeze' }))
    await click(page.getByRole('button', { name: '+ 1 hour' }))
    await expect
      .poll(async () => Date.parse((await tenant.clock.show()).now) - before)
      .toBeGreaterThanOrEqual(3_600_000)
    expect((await tenant.clock.show()).mode).toBe('frozen')
  },

  'see a failing callback with its retries': async ({ page, click, go }) => {
    await go('Faults')
    await click(page.getByRole('button', { name: 'Set Callback fails twice, then arrives' }))
    await click(page.getByRole('button', { name: 'Send a lead that hits it' }))
    await click(page.locator('.fault-hit').getByRole('link').first())
    await page
      .getByText(/next attempt/i)
      .first()
      .waitFor()
  },

  'send a callback again': async ({ page, tenant, click, go }) => {
    await distributeAndReport(tenant)
    await go('Callbacks')
    await click(page.getByRole('link', { name: 'Registration' }))
    await click(page.getByRole('button', { name: 'Send again' }))
    await expect.poll(async () => (await tenant.callbacks.list()).callbacks[0]?.attempts.length).toBe(2)
  },

  'send callbacks to your own receiver': async ({ page, tenant, click, go }) => {
    await go('Callbacks')
    await click(page.getByRole('button', { name: 'Receiver and inbox' }))
    await page.getByLabel('Callback URL').fill('http://127.0.0.1:3000/callbacks')
    await click(page.getByRole('button', { name: 'Save' }))
    await expect.poll(async () => (await tenant.show()).publisher.callback_url).toContain(':3000/callbacks')
  },

  'see what a lost reply leaves behind': async ({ page, click, go }) => {
    await go('Faults')
    await click(page.getByRole('button', { name: 'Set Reply lost' }))
    await click(page.getByRole('button', { name: 'Send a lead that hits it' }))
    await click(page.locator('.fault-hit').getByRole('link').last())
    await page.getByText('Passed the checks').waitFor()
  },

  'compare two leads': async ({ page, tenant, click, go }) => {
    const leads = createTestLeads(tenant.account, { tag: 'two' })
    await submitLead(tenant.account, leads.distributed())
    await submitLead(tenant.account, leads.ageRestricted())
    await go('Leads')
    const [newer, older] = [
      page.getByRole('link', { name: /-two@example\.com$/ }).first(),
      page.getByRole('link', { name: /-two@example\.com$/ }).last(),
    ]
    await click(newer)
    await click(page.getByRole('link', { name: 'Compare with…' }))
    await click(older)
    await page.getByRole('heading', { name: /^Compare/ }).waitFor()
  },

  'create a tenant, and have its keys': async ({ page, click }) => {
    await click(page.getByRole('button', { name: /^Tenant .* Switch$/ }))
    await click(page.getByRole('button', { name: 'New tenant' }))
    await click(page.getByRole('button', { name: 'Create' }))
    await page
      .getByRole('button', { name: /^Copy as \.env/ })
      .first()
      .waitFor()
  },

  'save a snapshot, and restore it': async ({ page, click, go }) => {
    await go('Snapshots')
    await page.getByLabel('Name').fill('before')
    await click(page.getByRole('button', { name: 'Save' }))
    await click(page.getByRole('button', { name: 'Restore before' }))
    await click(page.getByRole('dialog').getByRole('button', { name: 'Restore' }))
    await page.getByText('Restored.').waitFor()
  },

  'see what was tested': async ({ page, tenant, go }) => {
    await distributeAndReport(tenant)
    await go('Coverage')
    await page.getByRole('button', { name: 'Download as JUnit' }).waitFor()
  },

  'create a token for a colleague': async ({ page, click, go }) => {
    await go('Access')
    await page.getByLabel('Token name').fill('checkout team')
    await click(page.getByRole('button', { name: 'Create a token' }))
    await page.getByRole('button', { name: 'Copy the token' }).waitFor()
  },

  'diagnose a postback URL': async ({ page, tenant, click, go }) => {
    const { postback_url } = await distributeAndReport(tenant)
    await go('Diagnose a postback')
    await page.getByLabel('URL').fill(`${postback_url}x`)
    await click(page.getByRole('button', { name: 'Diagnose' }))
    await page.getByText('Wrong').first().waitFor()
  },
}

async function distributeAndReport(tenant: Tenant): Promise<{ readonly postback_url: string }> {
  const { lead_id } = await submitLead(tenant.account, createTestLeads(tenant.account, { tag: 'job' }).distributed())
  await tenant.leads.trigger(lead_id, { event: 'registration' })
  await tenant.callbacks.wait({ leadId: lead_id })
  const { deliveries } = await tenant.leads.show(lead_id)
  return { postback_url: deliveries.find(({ decision }) => decision === 'accepted')?.postback_url ?? '' }
}

describe.skipIf(!hasBrowser)('a job', () => {
  it('takes four clicks at most', { timeout: 300_000 }, async () => {
    const { page, show } = await openPage()
    const navigation = page.getByRole('navigation', { name: 'Views' })
    await eachRow(Object.entries(jobs), async (_name, work) => {
      const tenant = await createTenant()
      // The previous job may have ended in a dialog.
      await page.keyboard.press('Escape')
      await show(tenant.name)
      await page.getByRole('button', { name: `Tenant ${tenant.name}. Switch` }).waitFor()
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      let clicks = 0
      const click = async (target: Locator) => {
        clicks += 1
        await target.click()
      }
      await work({
        page,
        tenant,
        click,
        go: view => click(navigation.getByRole('link', { name: view, exact: true })),
      })
      expect(clicks).toBeLessThanOrEqual(most)
    })
  })
})
