import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { describe, expect, it } from 'vitest'
import { hasBrowser } from '../browser/open-browser.ts'
import { expectFlawless, openForFile, screens, violationsOf } from './console.fixture.ts'
import { submitLead } from './submit-lead.ts'

const { createTenant, openPage } = openForFile()

/** A tenant with something to show in every view. */
async function busyTenant() {
  const tenant = await createTenant()
  const leads = createTestLeads(tenant.account)
  await submitLead(tenant.account, leads.ageRestricted())
  const { lead_id } = await submitLead(tenant.account, leads.distributed())
  await tenant.clock.freeze()
  await tenant.inbox.change({ status: 503 })
  await tenant.leads.trigger(lead_id, { event: 'approved' })
  await tenant.faults.add({ match: { operation: 'callback' }, effect: { delay: 'PT5S' }, times: 2 })
  await tenant.snapshots.save('before')
  return { name: tenant.name, control: tenant, lead_id }
}

const views = {
  overview: 'Overview',
  leads: 'Leads',
  requests: 'Requests',
  callbacks: 'Callbacks',
  submit: 'Submit',
  scenarios: 'Scenarios',
  diagnose: 'Diagnose a postback',
  clock: 'Clock',
  faults: 'Faults',
  snapshots: 'Snapshots',
  account: 'Account',
  access: 'Access',
  coverage: 'Coverage',
}

describe.skipIf(!hasBrowser)('every view', () => {
  it("passes axe, and fits each screen's width", async () => {
    const { name } = await busyTenant()
    const { page, complaints, elsewhere, show } = await openPage()
    for (const [path, heading] of Object.entries(views)) {
      await show(`${name}/${path}`)
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
      await expectFlawless(page, path)
    }
    expect([complaints, elsewhere]).toEqual([[], []])
  })
})

describe.skipIf(!hasBrowser)('what the views do', () => {
  it('uses one timer for all clocks of a page', async () => {
    const tenant = await createTenant()
    const { page, show } = await openPage()
    await page.addInitScript(() => {
      const running = new Set<unknown>()
      const [begin, end] = [globalThis.setInterval, globalThis.clearInterval]
      Object.assign(globalThis, {
        running,
        setInterval(handler: () => void, ms: number) {
          const timer = begin(handler, ms)
          running.add(timer)
          return timer
        },
        clearInterval(timer: number) {
          running.delete(timer)
          end(timer)
        },
      })
    })
    for (const view of ['coverage', 'scenarios', 'clock'] as const) {
      await show(`${tenant.name}/${view}`)
      await page.getByRole('heading', { level: 1, name: views[view] }).waitFor()
      await expect.poll(() => page.evaluate(() => (globalThis as unknown as { running: Set<0> }).running.size)).toBe(1)
    }
  })

  it('breaks no title within a word on a phone, not even an e-mail address', async () => {
    const tenant = await createTenant()
    const address = 'maria-del-carmen.fernandez-de-la-vega.y-ortiz@example.com'
    const lead = createTestLeads(tenant.account).distributed({ customer: { contact: { email: { address } } } })
    const { lead_id } = await submitLead(tenant.account, lead)
    const { page, show } = await openPage(screens[1])
    for (const [path, name] of [...Object.entries(views), [`leads/${lead_id}`, address]] as const) {
      await show(`${tenant.name}/${path}`)
      const title = page.getByRole('heading', { level: 1, name, exact: true })
      await title.waitFor()
      const words = await title.evaluate(heading =>
        [...heading.childNodes].flatMap(node =>
          [...(node.textContent ?? '').matchAll(/\w+/g)].map(({ 0: word, index }) => {
            const range = document.createRange()
            range.setStart(node, index)
            range.setEnd(node, index + word.length)
            return [word, range.getClientRects().length] as const
          }),
        ),
      )
      expect(words.filter(([, lines]) => lines > 1)).toEqual([])
    }
  })

  it('shows what is selected, and every bar, in a high-contrast theme', async () => {
    const { name } = await busyTenant()
    const { page, show } = await openPage()
    await page.emulateMedia({ forcedColors: 'active' })
    const background = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate(element => getComputedStyle(element).backgroundColor)
    await show(`${name}/overview`)
    await page.locator('.time-chart .part').first().waitFor()
    const empty = [await background('body'), await background('.segments button[aria-pressed="false"]')]
    for (const selector of [
      '.segments button[aria-pressed="true"]',
      '.nav a[aria-current="page"]',
      '.time-chart .part',
      '.bar-list .part',
    ])
      expect(empty, selector).not.toContain(await background(selector))
    await page.keyboard.press('Control+k')
    await page.getByRole('option', { selected: true }).waitFor()
    expect(empty).not.toContain(await background('[role="option"][aria-selected="true"]'))
  })

  it('prints a lead whole, without what surrounds it', async () => {
    const { name, lead_id } = await busyTenant()
    const { page, show } = await openPage()
    await show(`${name}/leads/${lead_id}`)
    await page.getByRole('heading', { name: 'Submission', exact: true }).waitFor()
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('navigation').isVisible()).toBe(false)
    expect(await page.getByRole('banner').isVisible()).toBe(false)
    const main = page.getByRole('main')
    const [visible, whole] = await main.evaluate(({ clientHeight, scrollHeight }) => [clientHeight, scrollHeight])
    expect(visible).toBe(whole)
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeGreaterThanOrEqual(whole ?? Infinity)
  })

  it('makes a request fail with a fault, and shows that it acted', async () => {
    const { name, control } = await busyTenant()
    const { page, show } = await openPage()
    await show(`${name}/faults`)
    await page.getByText('Advanced').click()
    await page.getByLabel('Status', { exact: true }).fill('599')
    await page.getByLabel('Retry after').fill('7')
    await page.getByRole('button', { name: 'Set the fault' }).click()
    await page.getByText('Submit a lead: Return a status (599), retry after 7 s').waitFor()
    expect((await control.faults.list()).faults).toMatchObject([
      {},
      { effect: { status: 599, retry_after: 7 }, times: 1 },
    ])
  })

  it('stays usable around a view that fails, and says what happened', async () => {
    const { name } = await busyTenant()
    const { page, show } = await openPage()
    const aFaultThatDoesNotFit = { faults: [{ fault_id: 'f1' }] }
    await page.route(/\/faults$/, route => route.fulfill({ json: aFaultThatDoesNotFit }))
    await show(`${name}/faults`)
    await page.getByRole('heading', { name: "This view can't be shown" }).waitFor()
    await page.getByRole('alert').waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.unroute(/\/faults$/)
    await page.getByRole('button', { name: 'Reload the page' }).click()
    await page.getByRole('heading', { level: 1, name: 'Faults' }).waitFor()

    await page.route(/\/faults$/, route => route.fulfill({ json: aFaultThatDoesNotFit }))
    await page.reload()
    await page.getByRole('heading', { name: "This view can't be shown" }).waitFor()
    await page.getByRole('link', { name: 'Leads' }).click()
    await page.getByRole('heading', { level: 1, name: 'Leads' }).waitFor()
  })

  it('also says what happened if the page around the views fails', async () => {
    const { name } = await busyTenant()
    const { page, show } = await openPage()
    await page.route(/\/clock$/, route => route.fulfill({ json: { mode: 'frozen', now: 'no time' } }))
    await show(`${name}/leads`)
    await page.getByRole('button', { name: 'Reload the page' }).waitFor()
    await page.getByText('Invalid time value').waitFor()
  })

  it('keeps a part of a long list in memory, and refetches the rest when scrolled back, also by keyboard', async () => {
    const tenant = await createTenant()
    const leads = createTestLeads(tenant.account, { tag: 'long' })
    const submit = () => submitLead(tenant.account, leads.distributed())
    await submit()
    for (let count = 0; count < 24; count++) await Promise.all(Array.from({ length: 100 }, submit))
    await submit()
    const { page, show } = await openPage()
    await show(`${tenant.name}/leads`)
    const link = (count: number) => page.getByRole('link', { name: `lead-${count}-long@example.com` })
    await link(2_402).waitFor()
    await page.getByRole('region', { name: 'Leads' }).focus()
    const press = async (key: string, wanted: number) => {
      await page.keyboard.press(key)
      return link(wanted).count()
    }
    await expect.poll(() => press('End', 1)).toBe(1)
    // Only those in view are drawn.
    expect(await page.getByRole('row').count()).toBeLessThan(60)
    expect(await page.locator('tr.row').last().getAttribute('aria-rowindex')).toBe('2403')
    await expect.poll(() => press('Home', 2_402)).toBe(1)
    await expect.poll(() => press('End', 1)).toBe(1)
    await expect.poll(() => press('PageUp', 1)).toBe(0)
    await page.getByText('Rejected', { exact: true }).first().click()
    await page.getByRole('heading', { name: 'No leads match' }).waitFor()
  })

  it('shows a key only on request', async () => {
    const { name, control } = await busyTenant()
    const { page, show } = await openPage()
    await show(`${name}/account`)
    await page.getByRole('button', { name: 'Reveal API key' }).first().waitFor()
    expect(await page.content()).not.toContain(control.account.publisher.api_key)
    await page.getByRole('button', { name: 'Reveal API key' }).first().click()
    await page.getByText(control.account.publisher.api_key).waitFor()
  })
})
