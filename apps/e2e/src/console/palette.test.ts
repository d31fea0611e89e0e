import { createTestLeads } from '@lead-distribution/contract/test-leads'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { hasBrowser } from '../browser/open-browser.ts'
import { expectFlawless, openForFile, screens, settled, violationsOf } from './console.fixture.ts'
import { submitLead } from './submit-lead.ts'

const { createTenant, openPage } = openForFile()

/** A tenant, and a page that shows its leads. */
async function openLeads() {
  const tenant = await createTenant()
  const leads = createTestLeads(tenant.account)
  const submit = () => submitLead(tenant.account, leads.distributed())
  const watched = await openPage()
  await watched.show(`${tenant.name}/leads`)
  await watched.page.getByRole('heading', { level: 1, name: 'Leads' }).waitFor()
  return { ...watched, tenant, submit }
}

/** Opens the palette and types into it. */
async function search(page: Page, text: string) {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Jump to' }).fill(text)
}

/** Returns a text without the marks that isolate the writing direction of its parts. */
const textOf = (text: string | null) => text?.replaceAll(/[\u2068\u2069]/g, '')

const focusedText = (page: Page) => page.evaluate(() => document.activeElement?.textContent)

describe.skipIf(!hasBrowser)('the palette', () => {
  it("lists views and actions, passes axe, and fits each screen's width", async () => {
    const { page, complaints } = await openLeads()
    await page.getByRole('button', { name: 'Jump to' }).click()
    await page.getByRole('option', { name: 'Freeze the clock' }).waitFor()
    await expectFlawless(page)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await focusedText(page)).toContain('Jump to')
    // Keys that follow Escape at once are not lost.
    await page.keyboard.press('?')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Jump to' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    expect(complaints).toEqual([])
  })

  it.each([360, 390, 800, 1024])('keeps the clock and every button of the top bar visible at %i px', async width => {
    const tenant = await createTenant({ name: `a-tenant-with-another-name-that-is-long-${width}` })
    const { page, show } = await openPage(screens[1])
    await page.setViewportSize({ ...screens[1], width })
    await show(`${tenant.name}/leads`)
    const clock = page.getByRole('banner').getByRole('link', { name: /^Clock/ })
    await clock.waitFor()
    expect(await clock.evaluate(element => element.scrollWidth - element.clientWidth)).toBe(0)
    const names = width < 760 ? ['Menu', 'Tenant', 'Jump to', 'Theme'] : ['Tenant', 'Jump to', 'Density', 'Theme']
    for (const name of names) {
      const button = page.getByRole('banner').getByRole('button', { name: new RegExp(`^${name}`) })
      const box = (await button.boundingBox()) ?? expect.fail()
      expect(box.width, name).toBeGreaterThanOrEqual(width < 760 ? 30 : 24)
      expect(box.x + box.width, name).toBeLessThanOrEqual(width)
    }
    const icon = page.locator('.switcher svg')
    expect((await icon.boundingBox())?.width).toBe(16)
  })

  it('keeps every button of the top bar visible on a phone, also while the page reconnects', async () => {
    const tenant = await createTenant({ name: 'a-tenant-with-a-name-that-is-long' })
    const { page, show } = await openPage(screens[1])
    await page.route(/\/events$/, route => route.abort())
    await show(`${tenant.name}/leads`)
    await page.getByText('Reconnecting').waitFor()
    for (const name of ['Menu', 'Tenant', 'Jump to', 'Theme']) {
      const box = await page
        .getByRole('banner')
        .getByRole('button', { name: new RegExp(`^${name}`) })
        .boundingBox()
      expect(box?.width, name).toBeGreaterThanOrEqual(30)
      expect((box?.x ?? 0) + (box?.width ?? 0), name).toBeLessThanOrEqual(screens[1].width)
    }
  })

  it('opens a view with the arrow keys, and moves the focus there', async () => {
    const { page, tenant } = await openLeads()
    await search(page, 'acc')
    await page.keyboard.press('ArrowDown')
    expect(await page.getByRole('dialog').getByRole('option', { selected: true }).textContent()).toBe('Access')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Access' }).waitFor()
    expect(page.url()).toMatch(new RegExp(`/${tenant.name}/access$`))
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('content')
  })

  it('acts on the tenant, and starts a test lead by name', async () => {
    const { page, tenant, submit } = await openLeads()
    await search(page, 'freeze')
    await page.keyboard.press('Enter')
    await page.getByText('The clock is frozen.').waitFor()
    expect((await tenant.clock.show()).mode).toBe('frozen')

    await submit()
    await search(page, 'reset')
    await page.keyboard.press('Enter')
    await page.getByText('1 lead will be deleted').waitFor()
    await page.getByRole('button', { name: 'Reset the tenant' }).click()
    await page.getByText('The tenant is reset.').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect((await tenant.leads.list()).leads).toEqual([])

    await search(page, 'dark theme')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Theme: dark. Switch to system' }).waitFor()

    await search(page, 'age restr')
    await page.getByRole('option', { name: 'Submit: Age restriction' }).first().click()
    await page.getByRole('row', { name: /^Age 17/ }).waitFor()
  })

  it("finds any tenant's lead by part of its e-mail address, with its requests and callbacks", async () => {
    const { page } = await openLeads()
    const other = await createTenant()
    const lead = createTestLeads(other.account, { tag: 'somewhere-else' }).distributed()
    const { lead_id } = await submitLead(other.account, lead)
    await other.leads.trigger(lead_id, { event: 'approved' })
    await search(page, 'Somewhere-El')
    await page.getByRole('group', { name: 'Requests' }).getByRole('option').first().waitFor()
    const callbacks = page.getByRole('group', { name: 'Callbacks' })
    expect(await callbacks.getByRole('option').first().textContent()).toMatch(
      new RegExp(`^Loan issued.*${other.name}$`),
    )
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('option', { name: lead.customer.contact.email.address }).click()
    await page.getByRole('heading', { level: 1, name: lead.customer.contact.email.address }).waitFor()
    expect(page.url()).toContain(`/${other.name}/leads/${lead_id}`)
  })

  it('finds entries by id, and says if there is none', async () => {
    const { page, submit } = await openLeads()
    const { lead_id } = await submit()
    await search(page, lead_id)
    await page.getByRole('group', { name: 'Leads' }).getByRole('option').waitFor()
    const combobox = page.getByRole('combobox', { name: 'Jump to' })
    await combobox.fill('r1')
    await page.getByRole('option', { name: /^Submit a lead r1/ }).waitFor()
    await combobox.fill(crypto.randomUUID())
    await page.getByText('Nothing found.').waitFor()
  })

  it('counts all matching leads, and shows them in the list', async () => {
    const { page, tenant, submit } = await openLeads()
    for (let count = 0; count < 10; count++) await submit()
    // Two entries, of which one created no lead.
    await submitLead(tenant.account, createTestLeads(tenant.account).customerAlreadyExists())
    await search(page, '@example')
    await page.getByRole('group', { name: 'Leads, 5 of 12' }).waitFor()
    await expectFlawless(page)
    await page.getByRole('option', { name: 'Show all leads' }).click()
    await expect.poll(() => page.locator('tr.row').count()).toBe(12)
    expect(page.url()).toMatch(new RegExp(`/${tenant.name}/leads\\?customer=%40example$`))
  })

  it('has the exact match first', async () => {
    const { page, tenant } = await openLeads()
    const leads = createTestLeads(tenant.account)
    const submitAs = (address: string) =>
      submitLead(tenant.account, leads.distributed({ customer: { contact: { email: { address } } } }))
    await submitAs('ana@example.com')
    for (let count = 0; count < 6; count++) await submitAs(`di${count}ana@example.com`)
    await search(page, 'ana@example.com')
    await page.getByRole('group', { name: 'Leads, 5 of 7' }).waitFor()
    const selected = page.getByRole('dialog').getByRole('option', { selected: true })
    expect(await selected.textContent()).toMatch(/^ana@example\.com/)
    await page.getByRole('combobox', { name: 'Jump to' }).fill('requests')
    await expect.poll(() => selected.textContent()).toBe('Requests')
  })

  it('finds leads by name and external_id, even with a masked journal, with the exact match first', async () => {
    const { page, tenant } = await openLeads()
    expect(tenant.account.settings.journal_bodies).toBe('masked')
    const { distributed } = createTestLeads(tenant.account)
    const submitAs = (last_name: string, external_id: string) =>
      submitLead(tenant.account, distributed({ customer: { external_id, personal_data: { last_name } } }))
    await submitAs('Łuczyński', 'CRM-1')
    for (let count = 0; count < 6; count++) await submitAs('Łuczyński-Gómez', `crm-1${count}`)
    const selected = page.getByRole('dialog').getByRole('option', { selected: true })
    const combobox = page.getByRole('combobox', { name: 'Jump to' })
    await search(page, 'crm-1')
    await page.getByRole('group', { name: 'Leads, 5 of 7' }).waitFor()
    expect(textOf(await selected.textContent())).toMatch(/@.*Distributed · Ana Łuczyński · CRM-1$/)
    // A detail that is too long is below the address, which stays in one line.
    expect((await selected.boundingBox())?.height).toBeLessThan(60)
    await combobox.fill('ana łuczynski')
    await page.getByRole('group', { name: 'Leads, 5 of 7' }).waitFor()
    expect(textOf(await selected.textContent())).toMatch(/Ana Łuczyński · CRM-1$/)
    await expectFlawless(page)
    await combobox.fill('gomez')
    await page.getByRole('group', { name: 'Leads, 5 of 6' }).waitFor()
    await page.getByRole('option', { name: 'Show all leads' }).click()
    await expect.poll(() => page.locator('tr.row').count()).toBe(6)
    await page.getByRole('row', { name: /Ana Łuczyński-Gómez.*crm-15/ }).waitFor()
  })

  it('loses no key pressed while it loads or searches', async () => {
    const { page, submit } = await openLeads()
    const { lead_id } = await submit()
    const isLoaded = Promise.withResolvers<void>()
    await page.route(/\/palette-.*\.js$/, async route => {
      await isLoaded.promise
      await route.continue()
    })
    await page.keyboard.press('Control+k')
    await page.keyboard.type('callbax')
    await page.keyboard.press('Backspace')
    await page.keyboard.type('cks')
    await page.keyboard.press('Enter')
    isLoaded.resolve()
    await page.getByRole('heading', { level: 1, name: 'Callbacks' }).waitFor()

    await search(page, lead_id)
    await page.keyboard.press('Enter')
    await page.waitForURL(url => url.hash.endsWith(`/leads/${lead_id}`))
  })

  it('cancels an outdated search', async () => {
    const { page } = await openLeads()
    const given: string[] = []
    page.on('requestfailed', request => given.push(request.url()))
    const asked = page.waitForRequest(/customer=first/)
    await page.route(/customer=first/, () => undefined)
    await search(page, 'first@')
    await asked
    await page.getByRole('combobox', { name: 'Jump to' }).fill('second@')
    await page.getByText('Nothing found.').waitFor()
    expect(given.filter(url => url.includes('customer=first')).length).toBe(1)
  })
})

describe.skipIf(!hasBrowser)('the keys', () => {
  it('move through a list and open a row', async () => {
    const { page, submit } = await openLeads()
    for (let count = 0; count < 3; count++) await submit()
    const links = page.locator('tr.row a')
    await expect.poll(() => links.count()).toBe(3)
    await settled(page)
    const addresses = await links.allTextContents()
    await page.keyboard.press('j')
    expect(await focusedText(page)).toBe(addresses[0])
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    expect(await focusedText(page)).toBe(addresses[2])
    await page.keyboard.press('k')
    expect(await focusedText(page)).toBe(addresses[1])
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: addresses[1] ?? '' }).waitFor()
  })

  it('are listed with a question mark, can be turned off, and do not act in fields', async () => {
    const { page } = await openLeads()
    const filter = page.getByLabel('Customer')
    await filter.fill('')
    await filter.press('?')
    expect(await filter.inputValue()).toBe('?')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await filter.blur()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.getByLabel('Use the single keys').uncheck()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('?')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Jump to' }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(1)
  })
})
