import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { describe, expect, it } from 'vitest'
import { hasBrowser } from '../browser/open-browser.ts'
import { openForFile, settled, violationsOf } from './console.fixture.ts'
import { submitLead } from './submit-lead.ts'

const { createTenant, openPage } = openForFile()

const lostReply = { match: { operation: 'submitLead' }, effect: { lost_reply: true }, times: 1 } as const

describe.skipIf(!hasBrowser)('a submission whose connection is cut after it ran', () => {
  it('is explained: the browser resent it, and the first attempt was distributed', async () => {
    const tenant = await createTenant()
    await tenant.faults.add(lostReply)
    const { page, show } = await openPage()
    await show(`${tenant.name}/submit`)
    await page.getByRole('cell', { name: 'Distribution' }).waitFor()
    await settled(page)
    await page.getByRole('button', { name: 'Send the lead' }).click()
    await page
      .getByText(
        'The connection was cut before the response arrived, and the browser sent the request again. The first attempt was distributed:',
      )
      .waitFor()
    await page.getByText('Second attempt:').waitFor()
    expect(await violationsOf(page)).toEqual([])
    const [cut] = (await tenant.requests.list({ status: 'cut' })).requests
    await page.getByRole('link', { name: /^lead-.*@example\.com$/ }).click()
    await page.getByText('Passed the checks').waitFor()
    expect(page.url()).toContain(cut?.lead_id)
    await page
      .getByRole('listitem')
      .filter({ hasText: /Submit a lead.*Distributed/ })
      .getByText('Cut')
      .waitFor()
    // One click counts once, in the coverage and in the journal.
    const { items } = await tenant.coverage({ origin: 'console' })
    const seen = items.flatMap(({ kind, name, count }) => (count > 0 ? [`${kind}/${name} ${count}`] : []))
    expect(seen).toEqual(['outcome/distributed 1'])
    const { requests } = await tenant.requests.list()
    expect(requests.map(({ outcome, origin, resent }) => ({ outcome, origin, resent }))).toEqual([
      { outcome: 'rejected', origin: 'console', resent: true },
      { outcome: 'distributed', origin: 'console' },
    ])
    await show(`${tenant.name}/requests`)
    await page.locator('tr.row').filter({ hasText: 'Sent again by the browser' }).getByRole('link').click()
    await page.getByText('Both belong to one click.').waitFor()
  })

  it('is also explained if a fault broke the response', async () => {
    const tenant = await createTenant()
    await tenant.faults.add({ ...lostReply, effect: { malformed: true } })
    const { page, show } = await openPage()
    await show(`${tenant.name}/submit?lead=incomeInsufficient-income_insufficient`)
    await page.getByRole('button', { name: 'Send the lead' }).click()
    await page.getByText('A fault broke the JSON of the response. The lead was rejected:').waitFor()
    expect(await page.getByText('No lead was created.').count()).toBe(0)
    const [{ lead_id } = expect.fail()] = (await tenant.leads.list()).leads
    await page.getByRole('link', { name: 'Open the lead' }).click()
    await page.waitForURL(url => url.hash.endsWith(lead_id))
  })

  it('is also explained if the browser gave up', async () => {
    const tenant = await createTenant()
    await tenant.faults.add(lostReply)
    const { page, show } = await openPage()
    await show(`${tenant.name}/submit`)
    await page.getByRole('cell', { name: 'Distribution' }).waitFor()
    await settled(page)
    // As the browser does on a new connection: the request arrives, and the browser does not resend it.
    await page.route(/\/api\/v1\/lead$/, async route => {
      const request = route.request()
      await fetch(request.url(), {
        method: 'POST',
        headers: { apikey: tenant.account.publisher.api_key, 'content-type': 'application/json' },
        body: request.postData(),
      }).catch(() => undefined)
      await route.abort('connectionreset')
    })
    await page.getByRole('button', { name: 'Send the lead' }).click()
    await page.getByText('The connection was cut before the response arrived. The lead was distributed:').waitFor()
  })

  it('does not mention an older request that was cut for the same customer', async () => {
    const tenant = await createTenant()
    await tenant.faults.add(lostReply)
    const lead = createTestLeads(tenant.account).distributed()
    await submitLead(tenant.account, lead).catch(() => undefined)
    const { page, show } = await openPage()
    await show(`${tenant.name}/submit`)
    await page.getByRole('cell', { name: 'Distribution' }).waitFor()
    await page.getByLabel('E-mail address').fill(lead.customer.contact.email.address)
    await page.getByRole('button', { name: 'Send the lead' }).click()
    await page.getByText('Response body').waitFor()
    await page.getByRole('status').filter({ hasText: 'Customer already exists' }).waitFor()
    expect(await page.getByText('The connection was cut').count()).toBe(0)
  })
})

describe.skipIf(!hasBrowser)('a request without a response', () => {
  it('is red, says what happened, and matches the filter', async () => {
    const tenant = await createTenant()
    const leads = createTestLeads(tenant.account)
    await submitLead(tenant.account, leads.distributed())
    await tenant.faults.add(lostReply)
    await submitLead(tenant.account, leads.distributed()).catch(() => undefined)
    const { page, show } = await openPage()
    await show(`${tenant.name}/requests`)
    const rows = page.locator('tr.row')
    await expect.poll(() => rows.count()).toBe(2)
    expect(await rows.first().locator('.badge.bad').textContent()).toBe('Cut')
    await page.getByRole('button', { name: 'Cut', exact: true }).click()
    await expect.poll(() => rows.count()).toBe(1)
    await page.getByRole('button', { name: 'No response' }).click()
    await page.getByRole('heading', { name: 'No requests' }).waitFor()
    expect(await violationsOf(page)).toEqual([])
  })
})
