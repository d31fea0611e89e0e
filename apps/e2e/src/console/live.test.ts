import { createTestLeads } from '@lead-distribution/contract/test-leads'
import type { Tenant } from '@lead-distribution/control-client'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { hasBrowser } from '../browser/open-browser.ts'
import { openForFile, settled, violationsOf } from './console.fixture.ts'
import { submitLead } from './submit-lead.ts'

const { createTenant, openPage } = openForFile()

/** Submits a lead, but not on the page. Resolves to its e-mail address. */
async function submitElsewhere({ account }: Tenant, tag: string): Promise<string> {
  const lead = createTestLeads(account, { tag }).distributed()
  await submitLead(account, lead)
  return lead.customer.contact.email.address
}

async function leadsOf(tenant: Tenant) {
  const { page, show } = await openPage()
  const asked: string[] = []
  page.on('request', request => asked.push(new URL(request.url()).pathname))
  const open = () => show(`${tenant.name}/leads`)
  return { page, asked, open }
}

describe.skipIf(!hasBrowser)('the page', () => {
  it('shows changes made elsewhere, and sends no requests while nothing happens', async () => {
    const tenant = await createTenant()
    const { page, asked, open } = await leadsOf(tenant)
    // Once its stream begins, the page refetches what may have changed before.
    const streams = page.waitForResponse(/\/events$/)
    await open()
    await page.getByRole('heading', { name: 'No leads yet' }).waitFor()
    await streams
    await settled(page)
    const before = asked.length
    await new Promise(resolve => setTimeout(resolve, 2_500))
    expect(asked.slice(before)).toEqual([])
    await page.getByRole('link', { name: await submitElsewhere(tenant, 'first') }).waitFor()
    await settled(page)
    expect(asked.slice(before).filter(path => !path.endsWith('/submissions'))).toEqual([])
  })

  it('says that it reconnects without a stream, still reads new entries, and continues with a stream', async () => {
    const tenant = await createTenant()
    const { page, open } = await leadsOf(tenant)
    let isBroken = true
    await page.route(/\/events$/, route => (isBroken ? route.abort() : route.continue()))
    await open()
    await page.getByText('Reconnecting').waitFor()
    await page.getByRole('link', { name: await submitElsewhere(tenant, 'without') }).waitFor()
    isBroken = false
    await page.getByText('Reconnecting').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: await submitElsewhere(tenant, 'with') }).waitFor()
  })
})

/** Submits leads one by one. Their addresses are `lead-1-TAG@example.com` and so on. */
async function fillTenant(tenant: Tenant, count: number, tag: string) {
  const leads = createTestLeads(tenant.account, { tag })
  const submit = () => submitLead(tenant.account, leads.distributed())
  for (let done = 0; done < count; done++) await submit()
  return submit
}

const leadLink = (page: Page, number: number, tag: string) =>
  page.getByRole('link', { name: `lead-${number}-${tag}@example.com` })

describe.skipIf(!hasBrowser)('the inbox', () => {
  it('shows live how it responds, and for how many callbacks', async () => {
    const tenant = await createTenant()
    const leads = createTestLeads(tenant.account)
    const { page, show } = await openPage()
    await show(`${tenant.name}/callbacks`)
    await page.getByRole('button', { name: 'Receiver and inbox' }).click()
    await page.getByRole('button', { name: 'Make it fail' }).waitFor()
    await settled(page)
    await tenant.inbox.change({ status: 503, times: 3 })
    await page.getByText('It returns 503 for the next 3 callbacks.').waitFor()
    const { lead_id } = await submitLead(tenant.account, leads.distributed())
    await tenant.leads.trigger(lead_id, { event: 'approved' })
    await page.getByText('It returns 503 for the next 2 callbacks.').waitFor()
    await tenant.inbox.change({ status: 500 })
    await page.getByText('It returns 500 until you change it.').waitFor()
    await tenant.inbox.change({ status: 200 })
    await page.getByRole('button', { name: 'Make it fail' }).waitFor()
  })
})

describe.skipIf(!hasBrowser)('a list of more than one page', () => {
  it('shows new entries while its reader is at the top', async () => {
    const tenant = await createTenant()
    const submit = await fillTenant(tenant, 120, 'top')
    const { page, open } = await leadsOf(tenant)
    await open()
    await leadLink(page, 120, 'top').waitFor()
    await settled(page)
    await submit()
    await leadLink(page, 121, 'top').waitFor()
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe('122')
    expect(await page.getByRole('button', { name: /new$/ }).count()).toBe(0)
  })

  it('counts new entries while its reader is elsewhere, moves nothing, and shows them on demand', async () => {
    const tenant = await createTenant()
    const submit = await fillTenant(tenant, 120, 'away')
    const { page, open } = await leadsOf(tenant)
    await open()
    await leadLink(page, 120, 'away').waitFor()
    await settled(page)
    const list = page.getByRole('region', { name: 'Leads' })
    await list.evaluate(element => element.scrollTo(0, 60 * 33))
    const read = leadLink(page, 60, 'away')
    await read.waitFor()
    const before = await read.boundingBox()
    for (let count = 0; count < 12; count++) await submit()
    await page.getByRole('button', { name: '12 new' }).waitFor()
    expect(await read.boundingBox()).toEqual(before)
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('button', { name: '12 new' }).click()
    await leadLink(page, 132, 'away').waitFor()
    expect(await list.evaluate(element => [element.scrollTop, element === document.activeElement])).toEqual([0, true])
    expect(await page.getByRole('button', { name: /new$/ }).count()).toBe(0)
    // The pointer and the focus are in the list, which holds still until both are elsewhere.
    await page.getByLabel('Customer').click()
    await submit()
    await leadLink(page, 133, 'away').waitFor()
  })

  it('also shows counted entries when its reader scrolls back, and no older entry twice', async () => {
    const tenant = await createTenant()
    const submit = await fillTenant(tenant, 120, 'back')
    const { page, open } = await leadsOf(tenant)
    await open()
    await leadLink(page, 120, 'back').waitFor()
    await settled(page)
    const list = page.getByRole('region', { name: 'Leads' })
    await list.evaluate(element => element.scrollTo(0, 2_000))
    await leadLink(page, 70, 'back').waitFor()
    for (let count = 0; count < 3; count++) await submit()
    await page.getByRole('button', { name: '3 new' }).waitFor()
    await list.evaluate(element => element.scrollTo(0, 0))
    await leadLink(page, 123, 'back').waitFor()
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe('124')
  })

  it('starts over, wherever its reader is, when its tenant is restored', async () => {
    const tenant = await createTenant()
    await fillTenant(tenant, 5, 'before')
    await tenant.snapshots.save('then')
    await fillTenant(tenant, 120, 'after')
    const { page, open } = await leadsOf(tenant)
    await open()
    await leadLink(page, 120, 'after').waitFor()
    await settled(page)
    await page.getByRole('region', { name: 'Leads' }).evaluate(element => element.scrollTo(0, 2_000))
    await leadLink(page, 70, 'after').waitFor()
    await tenant.snapshots.restore('then')
    await leadLink(page, 5, 'before').waitFor()
    expect(await page.getByRole('row').count()).toBe(6)
  })
})

describe.skipIf(!hasBrowser)('each list of more than one page', () => {
  /** A tenant with 60 callbacks, and a function that reports one more. */
  async function busyTenant() {
    const tenant = await createTenant()
    const leads = createTestLeads(tenant.account)
    const report = async () => {
      const { lead_id } = await submitLead(tenant.account, leads.distributed())
      await tenant.leads.trigger(lead_id, { event: 'approved' })
      await tenant.callbacks.wait({ leadId: lead_id, timeoutMs: 60_000 })
      return lead_id
    }
    for (let count = 0; count < 60; count++) await report()
    return { tenant, report }
  }

  it('is live: requests, callbacks and the inbox', async () => {
    const { tenant, report } = await busyTenant()
    const { page, show } = await openPage()
    for (const view of ['requests', 'callbacks']) {
      await show(`${tenant.name}/${view}`)
      const rows = async () => Number(await page.getByRole('table').getAttribute('aria-rowcount'))
      await expect.poll(rows).toBeGreaterThan(60)
      await settled(page)
      const before = await rows()
      await report()
      await expect.poll(rows).toBeGreaterThan(before)
    }
    await page.getByRole('button', { name: 'Receiver and inbox' }).click()
    const entries = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'Loan issued' }) })
    await expect.poll(() => entries.count()).toBe(50)
    const reported = await report()
    await page.locator(`a[href$="${reported}"]`).waitFor()
    await page.getByRole('button', { name: 'Show older' }).click()
    await expect.poll(() => entries.count()).toBe(63)
    await report()
    await page.getByRole('button', { name: '1 new' }).click()
    await page.getByRole('button', { name: '1 new' }).waitFor({ state: 'detached' })
    await expect.poll(() => entries.count()).toBe(50)
  })
})
