import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { describe, expect, it } from 'vitest'
import { hasBrowser } from '../browser/open-browser.ts'
import { openForFile, overflowOf, screens, settled, violationsOf } from './console.fixture.ts'
import { submitLead } from './submit-lead.ts'

const { createTenant, openPage } = openForFile()

/** A tenant with a distributed and a rejected lead, and a delivered callback. */
async function busyTenant() {
  const tenant = await createTenant()
  const leads = createTestLeads(tenant.account)
  const { lead_id } = await submitLead(tenant.account, leads.distributed())
  const { lead_id: rejected_id } = await submitLead(tenant.account, leads.ageRestricted())
  await tenant.leads.trigger(lead_id, { event: 'approved' })
  const { callback_id } = await tenant.callbacks.wait({ leadId: lead_id })
  return { tenant, name: tenant.name, lead_id, rejected_id, callback_id }
}

describe.skipIf(!hasBrowser)('the address of a list', () => {
  it('contains the filters: a reload and a link show the same, and Back skips them', async () => {
    const { name, rejected_id } = await busyTenant()
    const { page, show } = await openPage()
    const rows = page.locator('tr.row')
    await show(`${name}/requests`)
    await expect.poll(() => rows.count()).toBe(3)
    await page.getByRole('link', { name: 'Leads', exact: true }).click()
    await page.getByRole('button', { name: 'Rejected' }).click()
    await page.getByLabel('Customer').fill('@example.com')
    await page.getByText('More filters').click()
    await page.getByLabel('Reason').selectOption('Age restriction')
    await expect.poll(() => rows.count()).toBe(1)
    // The row appears before the address contains the last typed text.
    await expect
      .poll(() => Object.fromEntries(new URLSearchParams(page.url().split('?')[1])))
      .toEqual({
        status: 'rejected',
        reason: 'age_restriction',
        customer: '@example.com',
      })

    await page.reload()
    await expect.poll(() => rows.count()).toBe(1)
    expect(await page.getByLabel('Customer').inputValue()).toBe('@example.com')
    expect(await page.getByRole('button', { name: 'Rejected' }).getAttribute('aria-pressed')).toBe('true')
    await page.getByRole('link', { name: /@example\.com$/ }).click()
    await page.getByText('Rejected: age restriction').waitFor()
    expect(page.url()).toContain(rejected_id)
    await page.goBack()
    await expect.poll(() => rows.count()).toBe(1)
    expect(await page.getByLabel('Reason').inputValue()).toBe('age_restriction')
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor()
  })

  it('ignores an unknown filter value', async () => {
    const { name } = await busyTenant()
    const { page, show } = await openPage()
    await show(`${name}/callbacks?state=lost&lead_id=42&part=nowhere`)
    await expect.poll(() => page.locator('tr.row').count()).toBe(1)
    expect(await page.getByRole('button', { name: 'All', exact: true }).getAttribute('aria-pressed')).toBe('true')
  })

  it('keeps every letter typed into a filter while the address changes', async () => {
    const { name } = await busyTenant()
    const { page, show } = await openPage()
    await show(`${name}/leads`)
    const text = 'a-part-of-an-address-that-no-lead-has'
    await page.getByLabel('Customer').pressSequentially(text, { delay: 30 })
    await page.getByRole('heading', { name: 'No leads match' }).waitFor()
    await expect.poll(() => page.url()).toContain(`customer=${text}`)
    expect(await page.getByLabel('Customer').inputValue()).toBe(text)
  })

  it('contains the part of the callbacks that is shown', async () => {
    const { name } = await busyTenant()
    const { page, show } = await openPage()
    await show(`${name}/callbacks`)
    await page.getByRole('button', { name: 'Receiver and inbox' }).click()
    await page.getByLabel('Callback URL').waitFor()
    await page.reload()
    await page.getByLabel('Callback URL').waitFor()
    await page.getByRole('button', { name: 'Sent' }).click()
    await page.getByRole('cell', { name: 'Delivered' }).waitFor()
  })
})

describe.skipIf(!hasBrowser).each(screens)('a request and a callback, $name', screen => {
  it('have addresses: a link opens them, and Back returns to the list', async () => {
    const { name, callback_id } = await busyTenant()
    const { page, show } = await openPage(screen)
    const isWide = screen.width >= 1200
    await show(`${name}/requests?status=2xx`)
    await page.getByRole('link', { name: 'POST /lead' }).last().click()
    const request = page.getByRole('region', { name: 'POST /api/v1/lead' })
    await request.locator('dd', { hasText: 'Distributed' }).waitFor()
    expect(page.url()).toMatch(/\/requests\/r1\?status=2xx$/)
    expect(await page.title()).toBe('POST /api/v1/lead · Lead sandbox')
    expect(await page.getByRole('region', { name: 'Requests' }).count()).toBe(isWide ? 1 : 0)
    await settled(page)
    expect(await violationsOf(page)).toEqual([])
    expect(await overflowOf(page)).toBe(0)
    await page.reload()
    await request.locator('dd', { hasText: 'Distributed' }).waitFor()
    await page.goBack()
    await request.waitFor({ state: 'detached' })
    expect(await page.title()).toBe('Requests · Lead sandbox')

    await show(`${name}/callbacks/${callback_id}`)
    const callback = page.getByRole('region', { name: 'Callback for loan_issued' })
    await callback.getByText('Delivered').waitFor()
    await settled(page)
    expect(await violationsOf(page)).toEqual([])
    expect(await overflowOf(page)).toBe(0)
    await page
      .getByRole('link', { name: isWide ? 'Close' : 'Callbacks' })
      .last()
      .click()
    await callback.waitFor({ state: 'detached' })
    expect(page.url()).toMatch(/\/callbacks$/)
  })

  it('return the focus to the list, which has not moved', async () => {
    const tenant = await createTenant()
    const leads = createTestLeads(tenant.account)
    for (let count = 0; count < 60; count++) await submitLead(tenant.account, leads.new())
    const { page, show } = await openPage(screen)
    await show(`${tenant.name}/requests`)
    const list = page.getByRole('region', { name: 'Requests' })
    await page.locator('tr.row').first().waitFor()
    await settled(page)
    await list.evaluate(element => element.scrollTo(0, 1_000))
    const entryBelow = () =>
      list.evaluate(element => {
        const { top, height } = element.getBoundingClientRect()
        const links = [...element.querySelectorAll<HTMLElement>('[data-entry]')]
        return links.find(link => link.getBoundingClientRect().top > top + height / 2)?.dataset.entry
      })
    // Rows appear a moment after the list is scrolled to them.
    await expect.poll(entryBelow).toBeDefined()
    const entry = await entryBelow()
    const link = page.locator(`[data-entry="${entry}"]`)
    await link.focus()
    const before = await list.evaluate(element => element.scrollTop)
    await page.keyboard.press('Enter')
    const opened = page.getByRole('region', { name: 'POST /api/v1/lead' })
    await expect.poll(() => opened.evaluate(element => element === document.activeElement)).toBe(true)
    await page.keyboard.press('Escape')
    await opened.waitFor({ state: 'detached' })
    await expect.poll(() => link.evaluate(element => element === document.activeElement)).toBe(true)
    expect(await list.evaluate(element => element.scrollTop)).toBe(before)
  })
})

describe.skipIf(!hasBrowser)('the address of something that no longer exists', () => {
  it('says so, and what to do', async () => {
    const { tenant, name, lead_id, callback_id } = await busyTenant()
    const { page, show } = await openPage()
    await show(`${name}/callbacks/${callback_id}`)
    await page.getByRole('region', { name: 'Callback for loan_issued' }).waitFor()
    await tenant.reset()
    await page.getByRole('heading', { name: "This callback isn't here" }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('link', { name: 'Show callbacks' }).click()
    await page.getByRole('heading', { name: 'No callbacks' }).waitFor()

    const gone = {
      [`leads/${lead_id}`]: "This lead isn't here",
      'leads/42': "This lead isn't here",
      'requests/r1': "This request isn't here",
      'requests/42': "This request isn't here",
      [`compare/leads/${lead_id}/42`]: 'There is nothing to compare',
    }
    for (const [path, heading] of Object.entries(gone)) {
      await show(`${name}/${path}`)
      await page.getByRole('heading', { name: heading }).waitFor()
    }
    await show(`${name}/faults?fault=f7`)
    await page.getByText("The fault f7 isn't here any more.").waitFor()
    await show(`${name}/snapshots?snapshot=monday`)
    await page.getByText("The snapshot monday isn't here any more.").waitFor()
    expect(await violationsOf(page)).toEqual([])
  })
})

describe.skipIf(!hasBrowser)('a fault and a snapshot', () => {
  it('are highlighted by their addresses', async () => {
    const { tenant, name } = await busyTenant()
    const { fault_id } = await tenant.faults.add({
      match: { operation: 'submitLead' },
      effect: { status: 503 },
      times: 1,
    })
    await tenant.snapshots.save('monday')
    await tenant.snapshots.save('friday')
    await submitLead(tenant.account, createTestLeads(tenant.account).new()).catch(() => undefined)
    const { page, show } = await openPage()
    await show(`${name}/requests?status=503`)
    await page.getByRole('link', { name: 'POST /lead' }).click()
    await page.getByRole('link', { name: fault_id, exact: true }).click()
    await page.locator('li[aria-current="true"]', { hasText: 'Return a status (503)' }).waitFor()
    await show(`${name}/snapshots`)
    await page.getByRole('link', { name: 'friday' }).click()
    await page.reload()
    await page.locator('li[aria-current="true"]', { hasText: 'friday' }).waitFor()
    expect(await page.locator('li[aria-current="true"]').count()).toBe(1)
    expect(await violationsOf(page)).toEqual([])
  })
})
