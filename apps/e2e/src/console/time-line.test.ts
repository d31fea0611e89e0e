import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { describe, expect, it } from 'vitest'
import { hasBrowser } from '../browser/open-browser.ts'
import { openForFile, overflowOf, screens, settled, violationsOf } from './console.fixture.ts'
import { Keyboard } from './keyboard.ts'
import { submitLead } from './submit-lead.ts'

const { createTenant, openPage } = openForFile()

/** A tenant with a lead received at noon, and events that its advertiser will report after an hour and after 30 days. */
async function tenantWithAgenda() {
  const tenant = await createTenant()
  const lifecycle = [
    { event: 'approved', after: 'PT1H' },
    { event: 'completed', after: 'P30D' },
  ]
  await tenant.update({ settings: { lifecycle } })
  await tenant.clock.freeze()
  await tenant.clock.set('2030-06-15T12:00:00Z')
  const leads = createTestLeads(tenant.account, { today: new Date('2030-06-15') })
  const { lead_id } = await submitLead(tenant.account, leads.distributed())
  const events = async () => (await tenant.leads.show(lead_id)).events.map(({ event }) => event)
  return { tenant, lead_id, events }
}

describe.skipIf(!hasBrowser)('the time line', () => {
  it('advances to a time by keyboard alone, and shows first what is due by then', async () => {
    const { tenant, events } = await tenantWithAgenda()
    const { page, show } = await openPage()
    const keyboard = new Keyboard(page)
    await show(`${tenant.name}/clock`)
    const slider = page.getByRole('slider', { name: 'Go to a time' })
    await keyboard.reach(slider)
    await page.keyboard.press('ArrowRight')
    await page.getByText('in 1 s', { exact: true }).waitFor()
    await page.keyboard.press('ArrowRight')
    await page.getByText('in 2 s', { exact: true }).waitFor()
    await page.getByText('Nothing falls due until then.').waitFor()
    await page.keyboard.press('End')
    await page.getByText('2 things fall due. They run in order, with what they cause.').waitFor()
    expect(await slider.getAttribute('aria-valuetext')).toMatch(/^15 Jul, 12:00:00\. 2 things fall due\./)
    expect(await violationsOf(page)).toEqual([])
    await keyboard.press('button', 'Cancel')
    expect(await events()).toEqual([])
    await keyboard.press('button', 'Go to this time')
    await page.getByText('2 due jobs ran in order.').waitFor()
    expect([await events(), (await tenant.clock.show()).now]).toEqual([['approved'], '2030-06-15T13:00:00.000Z'])
  })

  it('advances to a due time on a click or drag, on a phone', async () => {
    const { tenant, events } = await tenantWithAgenda()
    const { page, complaints, show } = await openPage(screens[1])
    await show(`${tenant.name}/clock`)
    const mark = page.locator('.mark.due').first()
    await mark.waitFor()
    await settled(page)
    expect([await violationsOf(page), await overflowOf(page)]).toEqual([[], 0])
    const { x, y, width, height } = (await mark.boundingBox()) ?? expect.fail('The mark is not drawn.')
    await page.mouse.click(x + width / 2, y + height / 2)
    await page.getByText('1 thing falls due. It runs at its own time, with what it causes.').waitFor()
    await page.getByText('in 1 h', { exact: true }).waitFor()
    const slider = (await page.getByRole('slider').boundingBox()) ?? expect.fail('The slider is not drawn.')
    await page.mouse.move(x + width / 2, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(slider.x + slider.width - 1, y, { steps: 3 })
    await page.mouse.up()
    await page.getByText('2 things fall due.').waitFor()
    await page.getByRole('button', { name: 'Go to this time' }).first().click()
    await expect.poll(events).toEqual(['approved', 'completed'])
    await page.getByText('Nothing is waiting.').waitFor()
    expect(complaints).toEqual([])
  })

  it('opens past entries, and shows new ones live', async () => {
    const { tenant, lead_id } = await tenantWithAgenda()
    const { page, show } = await openPage()
    await show(`${tenant.name}/clock`)
    await page
      .getByRole('link', { name: /Lead submitted/ })
      .first()
      .waitFor()
    await settled(page)
    await tenant.clock.advance({ by: 'PT2H' })
    await page.getByText('Callback for loan_issued, attempt 1').waitFor()
    await page.locator('a.mark.report').click()
    await page.waitForURL(url => url.hash.endsWith(`/leads/${lead_id}`))
  })

  it('lists what happened at the same time in the order in which it happened, newest first', async () => {
    const tenant = await createTenant()
    await tenant.clock.freeze()
    await tenant.inbox.change({ status: 500, times: 1 })
    const { lead_id } = await submitLead(tenant.account, createTestLeads(tenant.account).distributed())
    await tenant.leads.trigger(lead_id, { event: 'approved' })
    await expect.poll(async () => (await tenant.callbacks.list()).callbacks[0]?.attempts.length).toBe(1)
    const [{ callback_id } = expect.fail()] = (await tenant.callbacks.list()).callbacks
    await tenant.callbacks.resend(callback_id)
    await tenant.callbacks.wait({ leadId: lead_id })
    const { page, show } = await openPage()
    await show(`${tenant.name}/clock`)
    const past = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Past' }) })
    await expect
      .poll(async () => (await past.getByRole('link').allTextContents()).map(text => text.split(' …')[0]))
      .toEqual([
        'Callback for loan_issued, attempt 2',
        'Callback for loan_issued, attempt 1',
        'The advertiser reports approved',
        'Lead submitted',
      ])
  })

  it('shows the leads of a tenant whose last requests are all reports, and a rejection that created no lead', async () => {
    const { tenant, lead_id } = await tenantWithAgenda()
    const leads = createTestLeads(tenant.account, { today: new Date('2030-06-15') })
    await submitLead(tenant.account, leads.customerAlreadyExists())
    await tenant.leads.trigger(lead_id, { event: 'registration', repeat: 60 })
    const { page, show } = await openPage()
    await show(`${tenant.name}/clock`)
    await expect.poll(() => page.locator('a.mark.report').count()).toBe(50)
    const marks = await page.locator('a.mark.lead').evaluateAll(links => links.map(link => link.getAttribute('href')))
    expect(marks.filter(href => href?.endsWith(`/leads/${lead_id}`))).toHaveLength(1)
    expect(marks.filter(href => /\/requests\/r\d+$/.test(href ?? ''))).toHaveLength(1)
  })

  it("advances by its placeholder's example, and hides an earlier result beside an error", async () => {
    const tenant = await createTenant()
    await tenant.clock.freeze()
    const { page, show } = await openPage()
    await show(`${tenant.name}/clock`)
    const duration = page.getByLabel('Duration')
    const before = Date.parse((await tenant.clock.show()).now)
    for (const [text, seconds] of [
      ['90s', 90],
      ['30d', 2_592_000],
      ['24h', 86_400],
    ] as const) {
      expect(await duration.getAttribute('placeholder')).toContain(text)
      const { now } = await tenant.clock.show()
      await duration.fill(text)
      await page.getByRole('button', { name: 'Advance', exact: true }).click()
      await expect.poll(async () => Date.parse((await tenant.clock.show()).now) - Date.parse(now)).toBe(seconds * 1_000)
    }
    await page.getByText('No job was due.').waitFor()
    await duration.fill('soon')
    await page.getByRole('button', { name: 'Advance', exact: true }).click()
    await page.getByRole('alert').filter({ hasText: 'Enter a duration such as 90s' }).first().waitFor()
    expect(await page.getByText('No job was due.').count()).toBe(0)

    const time = page.getByLabel('Or set it forward to')
    const shown = (await time.getAttribute('placeholder')) ?? ''
    expect(Date.parse(shown)).toBeGreaterThan(before)
    await time.fill(shown.replace(/^\d+/, year => String(Number(year) + 1)))
    await page.getByRole('button', { name: 'Set', exact: true }).click()
    await page.getByText('The clock is set.').waitFor()
  })
})
