import { createTestLeads } from '@lead-distribution/contract/test-leads'
import type { Tenant } from '@lead-distribution/control-client'
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hasBrowser } from '../browser/open-browser.ts'
import { openForFile, screens, settled, violationsOf } from './console.fixture.ts'
import { submitLead } from './submit-lead.ts'

const { createTenant, openPage } = openForFile()

/** A tenant with leads, and a function that submits another. */
async function filledTenant(count = 60) {
  const tenant = await createTenant()
  const leads = createTestLeads(tenant.account)
  const submit = () => submitLead(tenant.account, leads.distributed())
  for (let done = 0; done < count; done++) await submit()
  return { tenant, name: tenant.name, submit }
}

/** Submits leads at a steady rate until the test ends. */
function submitSteadily(submit: () => Promise<unknown>, perSecond: number): () => number {
  let submitted = 0
  const timer = setInterval(() => void submit().then(() => submitted++), 1_000 / perSecond)
  onTestFinished(() => clearInterval(timer))
  return () => submitted
}

/** Returns the entry at a point on the screen. */
const entryAt = (page: Page, x: number, y: number) =>
  page.evaluate(
    ([left, top]) =>
      document.elementFromPoint(left, top)?.closest('.row')?.querySelector<HTMLElement>('[data-entry]')?.dataset.entry,
    [x, y] as const,
  )

const rowsOf = (page: Page) => page.locator('tr.row')

/** The number of a tenant's reported and delivered callbacks. */
async function report(tenant: Tenant, count: number) {
  const leads = createTestLeads(tenant.account)
  for (let done = 0; done < count; done++) {
    const { lead_id } = await submitLead(tenant.account, leads.distributed())
    await tenant.leads.trigger(lead_id, { event: 'approved' })
    await tenant.callbacks.wait({ leadId: lead_id, timeoutMs: 60_000 })
  }
}

describe.skipIf(!hasBrowser)('while leads arrive, a list', () => {
  it.each(['leads', 'requests'])('of %s opens the row under the pointer, anywhere in the row', async view => {
    const { name, submit } = await filledTenant()
    const { page, show, complaints } = await openPage()
    const submitted = submitSteadily(submit, 9)
    await show(`${name}/${view}`)
    await rowsOf(page).first().waitFor()
    for (let click = 0; click < 30; click++) {
      const list = (await page.getByRole('region', { name: /Leads|Requests/ }).boundingBox()) ?? expect.fail()
      const x = list.x + list.width * (0.1 + (click % 5) * 0.18)
      const y = list.y + 60 + (click % 10) * 33
      await page.mouse.move(x, y)
      // A lead that arrived before is shown by the second frame at the latest.
      await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))))
      const wanted = (await entryAt(page, x, y)) ?? expect.fail('There is no row under the pointer.')
      // The pointer stays until more leads have arrived.
      const before = submitted()
      await expect.poll(submitted).toBeGreaterThan(before + 1)
      expect(await entryAt(page, x, y)).toBe(wanted)
      await page.mouse.click(x, y)
      await expect.poll(() => new URL(page.url()).hash).toContain(`/${view}/${wanted}`)
      await page.goBack()
      await rowsOf(page).first().waitFor()
    }
    expect(complaints).toEqual([])
  })

  it('counts new entries while the pointer or the focus is in it, and shows them afterwards', async () => {
    const { name, submit } = await filledTenant(3)
    const { page, show } = await openPage()
    await show(`${name}/leads`)
    await expect.poll(() => rowsOf(page).count()).toBe(3)
    await settled(page)
    await rowsOf(page).first().hover()
    await submit()
    await page.getByRole('button', { name: '1 new' }).waitFor()
    expect(await rowsOf(page).count()).toBe(3)
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('heading', { level: 1 }).hover()
    await expect.poll(() => rowsOf(page).count()).toBe(4)

    await page.keyboard.press('j')
    await submit()
    await page.getByRole('button', { name: '1 new' }).waitFor()
    expect(await rowsOf(page).count()).toBe(4)
    await page.getByLabel('Customer').focus()
    await expect.poll(() => rowsOf(page).count()).toBe(5)
  })

  it('does not change while it is not live', async () => {
    const { name, submit } = await filledTenant(2)
    const { page, show } = await openPage()
    await show(`${name}/leads`)
    await expect.poll(() => rowsOf(page).count()).toBe(2)
    await page.getByRole('switch', { name: 'Live' }).uncheck()
    await submit()
    await page.getByRole('button', { name: '1 new' }).waitFor()
    expect(await rowsOf(page).count()).toBe(2)
    await page.getByRole('switch', { name: 'Live' }).check()
    await expect.poll(() => rowsOf(page).count()).toBe(3)
  })

  it('fades in no rows above three a second', async () => {
    const { name, submit } = await filledTenant(3)
    const { page, show } = await openPage()
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await page.addInitScript(() => {
      Element.prototype.animate = function () {
        this.setAttribute('data-animated', '')
        return new Animation()
      }
    })
    await show(`${name}/leads`)
    await expect.poll(() => rowsOf(page).count()).toBe(3)
    await settled(page)
    await Promise.all(Array.from({ length: 8 }, submit))
    await expect.poll(() => rowsOf(page).count()).toBe(11)
    // The first ones may have been early enough to fade in.
    expect(await page.locator('tr.row[data-animated]').count()).toBeLessThanOrEqual(3)
  })
})

describe.skipIf(!hasBrowser).each(screens)('the place in a list, $name', screen => {
  it.each(['leads', 'requests', 'callbacks'])('of %s keeps its place after Back and after a reload', async view => {
    const { tenant, name, submit } = await filledTenant(view === 'callbacks' ? 0 : 120)
    if (view === 'callbacks') await report(tenant, 60)
    const { page, show } = await openPage(screen)
    await show(`${name}/${view}`)
    const list = page.getByRole('region', { name: new RegExp(view, 'i') })
    await rowsOf(page).first().waitFor()
    await settled(page)
    await list.evaluate(element => element.scrollTo(0, 1_234))
    const box = (await list.boundingBox()) ?? expect.fail()
    const [x, y] = [box.x + 40, box.y + box.height / 2]
    await expect.poll(() => list.evaluate(element => element.scrollTop)).toBe(1_234)
    await settled(page)
    const wanted = (await entryAt(page, x, y)) ?? expect.fail()
    await page.mouse.click(x, y)
    await page.waitForURL(url => url.hash.includes(wanted))
    await page.goBack()
    const isThere = async () => [
      await entryAt(page, x, y),
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset.entry),
    ]
    await expect.poll(isThere).toEqual([wanted, wanted])
    await submit()
    await page.reload()
    await expect.poll(isThere).toEqual([wanted, wanted])
    await page.getByRole('button', { name: /new$/ }).waitFor({ state: 'detached' })
  })
})

describe.skipIf(!hasBrowser).each(screens)('each list, $name', screen => {
  it('shows the customer and the time, and marks held and resent entries', async () => {
    const tenant = await createTenant()
    await report(tenant, 1)
    const [first] = (await tenant.callbacks.list()).callbacks
    await tenant.callbacks.resend(first?.callback_id ?? '')
    await tenant.callbacks.hold()
    const lead = createTestLeads(tenant.account, { tag: 'held' }).distributed()
    const { lead_id } = await submitLead(tenant.account, lead)
    await tenant.leads.trigger(lead_id, { event: 'approved' })
    const { page, show } = await openPage(screen)
    for (const view of ['leads', 'requests', 'callbacks']) {
      await show(`${tenant.name}/${view}`)
      const row = rowsOf(page).filter({ hasText: lead.customer.contact.email.address }).first()
      await row.waitFor()
      if (view !== 'callbacks') expect(await row.locator('time').textContent(), view).toMatch(/:\d\d\.\d{3}$/)
    }
    await rowsOf(page).first().getByText('Held', { exact: true }).waitFor()
    const resent = rowsOf(page).last()
    expect(await resent.textContent()).toContain('Sent again')
    expect(await resent.locator('time').textContent()).toMatch(/:\d\d\.\d{3}$/)
    expect(await violationsOf(page)).toEqual([])
  })
})

describe.skipIf(!hasBrowser).each(screens)('an open entry, $name', screen => {
  it.each(['leads', 'requests'])('of %s is replaced by the next or previous one with j and k', async view => {
    const { name } = await filledTenant(3)
    const { page, show } = await openPage(screen)
    await show(`${name}/${view}`)
    await expect.poll(() => rowsOf(page).count()).toBe(3)
    const ids = await page.locator('[data-entry]').evaluateAll(links => links.map(({ dataset }) => dataset.entry))
    await page.locator('[data-entry]').first().click()
    const isOpen = async (place: number) => {
      await page.locator(`[data-steps="${ids[place]}"]`).waitFor()
      expect(page.url()).toContain(`/${view}/${ids[place]}`)
    }
    await isOpen(0)
    for (const [key, place] of [
      ['j', 1],
      ['j', 2],
      ['j', 2],
      ['k', 1],
    ] as const) {
      await page.keyboard.press(key)
      await isOpen(place)
    }
    await settled(page)
    expect(await violationsOf(page)).toEqual([])
    // Back returns to the list, not through each entry.
    await page.goBack()
    await expect.poll(() => page.url()).toMatch(new RegExp(`/${view}$`))
  })
})
