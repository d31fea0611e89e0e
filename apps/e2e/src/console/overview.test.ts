import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { describe, expect, it } from 'vitest'
import { hasBrowser } from '../browser/open-browser.ts'
import { expectFlawless, openForFile, settled, violationsOf } from './console.fixture.ts'
import { Keyboard } from './keyboard.ts'
import { submitLead } from './submit-lead.ts'

const { createTenant, openPage } = openForFile()
const hasCurl = spawnSync('curl', ['--version']).status === 0

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
  it.skipIf(!hasCurl)('says how to begin if nothing has happened, with a command that runs as it is', async () => {
    const tenant = await createTenant()
    const { page, complaints, elsewhere, show } = await openPage()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await show(tenant.name)
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    for (const name of ['Submit a first lead', 'Open the guides', 'Open the reference', 'Set up your receiver'])
      await page.getByRole('link', { name }).waitFor()
    await page.getByRole('button', { name: 'Copy the command' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    await expectFlawless(page)
    const command = await page.evaluate(() => navigator.clipboard.readText())
    expect(await page.locator('pre').textContent()).toBe(command)
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { timeout: 60_000 })
    expect(JSON.parse(stdout)).toMatchObject({ status: 'distributed' })
    await page.getByRole('heading', { name: 'Submissions per minute' }).waitFor()
    expect(await page.getByRole('heading', { name: 'Begin here' }).count()).toBe(0)
    expect([complaints, elsewhere]).toEqual([[], []])
  })

  it('gives a minimum where the activity counts only the newest submissions', async () => {
    const { tenant } = await tenantWithLeads()
    const { page, show } = await openPage()
    // More than 20,000 leads would take too long.
    await page.route(/\/activity\b/, async route => {
      const response = await route.fetch()
      const activity = await response.json()
      activity.submissions.since = activity.from
      await route.fulfill({ response, json: activity })
    })
    await show(`${tenant.name}/overview`)
    await page.getByText('At least 2 submissions in the last hour').waitFor()
  })

  it('shows the loop of a lead: each address, and the state of each station', async () => {
    const { tenant, lead_id } = await tenantWithLeads()
    const { account } = tenant
    await tenant.inbox.change({ status: 503, times: 1 })
    await tenant.leads.trigger(lead_id, { event: 'approved' })
    await tenant.faults.add({ match: { operation: 'submitLead' }, effect: { status: 503 } })
    await tenant.callbacks.hold()
    const { page, show } = await openPage()
    await show(`${tenant.name}/overview`)
    const station = (name: string) =>
      page.getByRole('list', { name: 'The loop of a lead' }).getByRole('listitem').filter({ hasText: name })
    await station('Publisher').getByText(account.publisher.publisher_id).waitFor()
    await station('Service').getByText(account.base_url, { exact: true }).waitFor()
    await station('Service').getByText('2 submissions in the last hour').waitFor()
    await station('Service').getByRole('link', { name: '1 active fault', exact: true }).waitFor()
    const { redirect_url = '' } = await tenant.leads.show(lead_id)
    await station('Advertiser').getByText(redirect_url).waitFor()
    await station('Callback').getByText(account.publisher.callback_url).waitFor()
    await station('Callback').getByText('Last response 503').waitFor()
    await station('Callback').getByRole('link', { name: 'Pending 1', exact: true }).waitFor()
    await station('Callback').getByText('in the last hour', { exact: true }).waitFor()
    await station('Callback').getByText('Held').waitFor()
    await expectFlawless(page)
    await tenant.update({ callback_url: 'http://127.0.0.1:9/callbacks' })
    await station('Callback').getByText('http://127.0.0.1:9/callbacks').waitFor()
    expect(await page.getByRole('link', { name: 'Set up your receiver' }).count()).toBe(0)
  })

  it('counts changes made elsewhere live, at most every two seconds', async () => {
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

  it("opens the entries behind a bar, by keyboard alone or from the chart's table", async () => {
    const { tenant, leads, rejected } = await tenantWithLeads()
    await tenant.clock.advance({ by: 'PT1M' })
    await submitLead(tenant.account, leads.distributed())
    const { page, show } = await openPage()
    const keyboard = new Keyboard(page)
    await show(`${tenant.name}/overview`)
    // The tab key reaches the newest bar, and the arrow keys the others.
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
