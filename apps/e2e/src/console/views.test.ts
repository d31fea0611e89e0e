import { connectSandbox } from '@lead-distribution/control-client'
import { type SandboxServer, startServer } from '@lead-distribution/sandbox'
import { createTestLeads } from '@lead-distribution/test-leads'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser, openBrowser } from '../browser/open-browser.ts'
import { buildConsole, openConsole, screens, settled, violationsOf } from './open-console.ts'

let browser: Browser
let server: SandboxServer
beforeAll(async () => {
  if (!hasBrowser) return
  await buildConsole()
  browser = await openBrowser()
  server = await startServer({ port: 0, logLevel: 'silent' })
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
})

/** A tenant with something to show in every view. */
async function busyTenant() {
  const tenant = await (await connectSandbox(server.url)).createTenant()
  const { base_url, publisher } = tenant.account
  const leads = createTestLeads(tenant.account)
  const headers = { apikey: publisher.api_key, 'content-type': 'application/json' }
  const submit = async (lead: unknown) =>
    (await fetch(`${base_url}/lead`, { method: 'POST', headers, body: JSON.stringify(lead) })).json()
  await submit(leads.ageRestricted())
  const { lead_id } = await submit(leads.distributed())
  await tenant.clock.freeze()
  await tenant.inbox.change({ status: 503 })
  await tenant.leads.trigger(lead_id, { event: 'approved' })
  await tenant.faults.add({ match: { operation: 'callback' }, effect: { delay: 'PT5S' }, times: 2 })
  await tenant.snapshots.save('before')
  return { name: tenant.name, control: tenant, lead_id }
}

const views = {
  leads: 'Leads',
  calls: 'Calls',
  callbacks: 'Callbacks',
  submit: 'Submit',
  scenarios: 'Scenarios',
  doctor: 'Postback doctor',
  clock: 'Clock',
  faults: 'Faults',
  snapshots: 'Snapshots',
  account: 'Account',
  coverage: 'Coverage',
}

describe.skipIf(!hasBrowser)('every view', () => {
  it.each(screens)('has nothing that axe finds wrong, and fits the width: $name', async screen => {
    const { name } = await busyTenant()
    const { page, complaints, elsewhere } = await openConsole(browser, server.url, screen)
    for (const [path, heading] of Object.entries(views)) {
      await page.goto(`${server.url}/_sandbox/#/${name}/${path}`)
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
      await settled(page)
      expect(await violationsOf(page), path).toEqual([])
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect([path, overflow]).toEqual([path, 0])
    }
    expect([complaints, elsewhere]).toEqual([[], []])
  })
})

describe.skipIf(!hasBrowser)('what the views do', () => {
  it('makes a call fail by a fault, and shows that it acted', async () => {
    const { name, control } = await busyTenant()
    const { page } = await openConsole(browser, server.url, screens[0])
    await page.goto(`${server.url}/_sandbox/#/${name}/faults`)
    await page.getByLabel('Value').fill('599')
    await page.getByRole('button', { name: 'Set the fault' }).click()
    await page.getByText('Submit a lead: Status 599').waitFor()
    expect((await control.faults.list()).faults).toMatchObject([{}, { effect: { status: 599 }, times: 1 }])
  })

  it('advances the clock past a retry, and delivers the callback after the inbox takes it again', async () => {
    const { name, control } = await busyTenant()
    await control.faults.clear()
    const { page } = await openConsole(browser, server.url, screens[2])
    await page.goto(`${server.url}/_sandbox/#/${name}/callbacks`)
    await page.getByRole('button', { name: 'Receiver and inbox' }).click()
    await page.getByRole('button', { name: 'Take callbacks again' }).click()
    await page.getByRole('button', { name: 'Make it fail' }).waitFor()
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('dialog').getByRole('link', { name: 'Clock' }).click()
    await page.getByRole('button', { name: '+ 1 hour' }).click()
    await page.getByText('No callback waits.').waitFor()
    expect((await control.callbacks.list()).callbacks).toMatchObject([{ state: 'delivered' }])
  })

  it('draws only the leads in view, loads older ones as it is scrolled, and does not move under a reader', async () => {
    const tenant = await (await connectSandbox(server.url)).createTenant()
    const { base_url, publisher } = tenant.account
    const leads = createTestLeads(tenant.account, { tag: 'scrolled' })
    const submit = () =>
      fetch(`${base_url}/lead`, {
        method: 'POST',
        headers: { apikey: publisher.api_key, 'content-type': 'application/json' },
        body: JSON.stringify(leads.distributed()),
      })
    for (let count = 0; count < 120; count++) await submit()
    const { page } = await openConsole(browser, server.url, screens[0])
    await page.goto(`${server.url}/_sandbox/#/${tenant.name}/leads`)
    const list = page.getByRole('region', { name: 'Leads' })
    await page.getByRole('link', { name: 'lead-120-scrolled@example.com' }).waitFor()
    await expect
      .poll(async () => {
        await list.evaluate(element => element.scrollTo(0, element.scrollHeight))
        return page.getByRole('link', { name: 'lead-1-scrolled@example.com' }).count()
      })
      .toBe(1)
    expect(await page.getByRole('row').count()).toBeLessThan(60)
    await submit()
    await page.getByRole('button', { name: 'Show the newest' }).click()
    await list.evaluate(element => element.scrollTo(0, 0))
    await page.getByRole('link', { name: 'lead-121-scrolled@example.com' }).waitFor()
  })

  it('shows a key only when it is asked for', async () => {
    const { name, control } = await busyTenant()
    const { page } = await openConsole(browser, server.url, screens[0])
    await page.goto(`${server.url}/_sandbox/#/${name}/account`)
    await page.getByRole('button', { name: 'Reveal API key' }).first().waitFor()
    expect(await page.content()).not.toContain(control.account.publisher.api_key)
    await page.getByRole('button', { name: 'Reveal API key' }).first().click()
    await page.getByText(control.account.publisher.api_key).waitFor()
  })

  it('creates, finds and deletes a tenant', async () => {
    const { page } = await openConsole(browser, server.url, screens[0])
    await page.goto(`${server.url}/_sandbox/`)
    await page.getByRole('button', { name: 'Tenant demo. Switch' }).click()
    await page.getByRole('button', { name: 'New tenant' }).click()
    await page.getByLabel('Name').fill('from-the-page')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('button', { name: 'Tenant from-the-page. Switch' }).click()
    await page.getByLabel('Find a tenant').fill('from-the')
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Delete from-the-page' }).click()
    await page
      .getByRole('dialog', { name: /^Delete/ })
      .getByRole('button', { name: /^Delete/ })
      .click()
    await page.getByRole('button', { name: 'Tenant demo. Switch' }).waitFor()
    await page.getByRole('heading', { name: 'No leads yet' }).waitFor()
  })
})
