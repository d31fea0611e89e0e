import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTestLeads, type Tenant } from '@lead-distribution/control-client'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hasBrowser } from '../browser/open-browser.ts'
import { expectFlawless, openForFile, settled, turnTo } from './console.fixture.ts'
import { submitLead } from './submit-lead.ts'

const { createTenant, openPage } = openForFile({ keepsFullRequests: true })

const submitRaw = ({ account }: Tenant, body: string, headers: Record<string, string> = {}) =>
  fetch(`${account.base_url}/lead`, {
    method: 'POST',
    headers: { apikey: account.publisher.api_key, 'content-type': 'application/json', ...headers },
    body,
  })

/** Opens the newest request. */
async function openNewest(page: Page, show: (path: string) => Promise<unknown>, tenant: Tenant) {
  const [newest] = (await tenant.requests.list({ limit: 1 })).requests
  await show(`${tenant.name}/requests/${newest?.request_id}`)
  await page.getByRole('button', { name: 'Copy as curl' }).waitFor()
}

const button = (page: Page | Locator, name: string) => page.getByRole('button', { name, exact: true })

describe.skipIf(!hasBrowser)('a request that is kept in full', () => {
  it('shows the invalid value, and is resent unchanged', async () => {
    const tenant = await createTenant()
    await submitRaw(tenant, '{"product_data": {"loan_amount": "planted"}}')
    const { page, show, complaints } = await openPage()
    await openNewest(page, show, tenant)
    await page.getByText('"loan_amount": "planted"').waitFor()
    await button(page, 'Send again').click()
    await page.getByText('The service returned').getByText('400', { exact: true }).waitFor()
    const { requests } = await tenant.requests.list({})
    expect(requests.map(({ status }) => status)).toEqual([400, 400])
    const bodies = await Promise.all(requests.map(({ request_id }) => tenant.requests.show(request_id)))
    expect(bodies[0]?.request_body).toEqual(bodies[1]?.request_body)
    await expectFlawless(page)
    expect(complaints.filter(text => !text.includes('400'))).toEqual([])
  })

  it('of an advertiser is edited and resent', async () => {
    const tenant = await createTenant()
    const { lead_id } = await submitLead(tenant.account, createTestLeads(tenant.account).distributed())
    await tenant.leads.trigger(lead_id, { event: 'approved', via: 'body' })
    const { page, show } = await openPage()
    await openNewest(page, show, tenant)
    await button(page, 'Edit and send').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Body').fill('{"status": "completed"}')
    await button(dialog, 'Send').click()
    await page.getByText('The service returned').getByText('200', { exact: true }).waitFor()
    const { events } = await tenant.leads.show(lead_id)
    expect(events.map(({ event }) => event)).toEqual(['approved', 'completed'])
  })

  it('that the service did not read says why it cannot be resent', async () => {
    const tenant = await createTenant()
    await submitRaw(tenant, '{}', { 'content-type': 'text/plain' })
    const { page, show } = await openPage()
    await openNewest(page, show, tenant)
    await page.getByText("The service didn't read the body").waitFor()
    expect(await button(page, 'Send again').count()).toBe(0)
  })
})

describe.skipIf(!hasBrowser)('a lead', () => {
  it('is resent, and edited in Submit', async () => {
    const tenant = await createTenant()
    const { lead_id } = await submitLead(tenant.account, createTestLeads(tenant.account).distributed())
    const { page, show } = await openPage()
    await show(`${tenant.name}/leads/${lead_id}`)
    await button(page, 'Send again').click()
    await page.getByText('The service returned').waitFor()
    const { requests } = await tenant.requests.list({ operation: 'submitLead' })
    expect(requests.map(({ reason }) => reason)).toEqual(['customer_already_exists', undefined])
    await button(page, 'Edit and send').click()
    await page.getByLabel('Loan amount').waitFor()
    expect(await page.getByLabel('Test lead').inputValue()).toBe('')
    await button(page, 'New customer').click()
    await button(page, 'Send the lead').click()
    await page.getByRole('heading', { name: 'Decision' }).waitFor()
    await expect.poll(async () => (await tenant.leads.list({ status: 'distributed' })).leads.length).toBe(2)
  })

  it('rejected by a threshold is tried with a value that passes', async () => {
    const tenant = await createTenant()
    const { lead_id } = await submitLead(tenant.account, createTestLeads(tenant.account).incomeInsufficient())
    const { page, show } = await openPage()
    await show(`${tenant.name}/leads/${lead_id}`)
    await button(page, 'Try with 600').click()
    await button(page, 'Send the lead').click()
    await page.getByRole('heading', { name: 'Decision' }).waitFor()
    await expect.poll(async () => (await tenant.leads.list()).leads[0]?.status).toBe('distributed')
  })

  it('without an advertiser offers no event', async () => {
    const tenant = await createTenant()
    const { lead_id } = await submitLead(tenant.account, createTestLeads(tenant.account).incomeInsufficient())
    const { page, show } = await openPage()
    await show(`${tenant.name}/leads/${lead_id}`)
    await page.getByRole('heading', { name: 'Submission', exact: true }).waitFor()
    expect(await page.getByRole('heading', { name: 'Report an event' }).count()).toBe(0)
  })
})

describe.skipIf(!hasBrowser)('Submit', () => {
  const open = async () => {
    const tenant = await createTenant()
    const watched = await openPage()
    await watched.show(`${tenant.name}/submit`)
    await button(watched.page, 'Send the lead').waitFor()
    return { ...watched, tenant }
  }
  const amount = (page: Page) => page.getByLabel('Loan amount')

  it('keeps its draft and its result across views and reloads', async () => {
    const { page, show, tenant } = await open()
    await amount(page).fill('4321')
    await show(`${tenant.name}/leads`)
    await page.getByRole('heading', { level: 1, name: 'Leads' }).waitFor()
    await show(`${tenant.name}/submit`)
    expect(await amount(page).inputValue()).toBe('4321')
    await page.reload()
    expect(await amount(page).inputValue()).toBe('4321')
    await button(page, 'Send the lead').click()
    await button(page, 'Send another customer').waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Decision' }).waitFor()
    await button(page, 'Send another customer').waitFor()
  })

  it('keeps its draft across views if the browser denies storage', async () => {
    const tenant = await createTenant()
    const { page, show } = await openPage()
    await page.addInitScript(() => {
      Object.defineProperty(globalThis, 'sessionStorage', {
        get() {
          throw new DOMException('denied', 'SecurityError')
        },
      })
    })
    await show(`${tenant.name}/submit`)
    await amount(page).fill('4321')
    await show(`${tenant.name}/leads`)
    await page.getByRole('heading', { level: 1, name: 'Leads' }).waitFor()
    await show(`${tenant.name}/submit`)
    expect(await amount(page).inputValue()).toBe('4321')
  })

  it.each(['Control+Enter', 'Meta+Enter'])('sends by %s, from the JSON editor too', async key => {
    const { page, tenant } = await open()
    const editor = page.getByRole('textbox', { name: 'JSON' })
    await editor.click()
    const lines = await editor.locator('.cm-line').count()
    await page.keyboard.press(key)
    await button(page, 'Send another customer').waitFor()
    expect(await editor.locator('.cm-line').count()).toBe(lines)
    expect((await tenant.leads.list()).leads.length).toBe(1)
  })

  it.each([390, 768, 1280])(
    'shows the deciding line and the redirect above the fold after a send, %i px wide',
    async width => {
      const { page, show, tenant } = await open()
      await turnTo(page, { width, height: 800, colorScheme: 'light' })
      const isVisible = async (shown: Locator) => {
        await shown.waitFor()
        await settled(page)
        const box = await shown.boundingBox()
        expect(box && box.y >= 0 && box.y + box.height <= 800, JSON.stringify(box)).toBe(true)
      }
      await button(page, 'Send the lead').click()
      await isVisible(page.getByRole('link', { name: "Open the simulated advertiser's page" }))
      await show(`${tenant.name}/submit?lead=incomeInsufficient-income_insufficient`)
      await button(page, 'Send the lead').click()
      await button(page, 'Send another customer').waitFor()
      await isVisible(page.locator('.decision').getByText('Send a monthly_income of at least 600.'))
      await isVisible(button(page.locator('.decision'), 'Try with 600'))
    },
  )
})

describe.skipIf(!hasBrowser)('a callback', () => {
  it('is said to be unsent only if the receiver does not have it', async () => {
    const received: ServerResponse[] = []
    const receiver = createServer((_request, response) => void received.push(response)).listen(0, '127.0.0.1')
    await new Promise(resolve => receiver.once('listening', resolve))
    onTestFinished(() => void receiver.close())
    const tenant = await createTenant()
    await tenant.update({ callback_url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/cb` })
    const { lead_id } = await submitLead(tenant.account, createTestLeads(tenant.account).distributed())
    await tenant.leads.trigger(lead_id, { event: 'approved' })
    await expect.poll(() => received.length).toBe(1)
    const { page, show } = await openPage()
    await show(`${tenant.name}/callbacks`)
    await page.getByRole('link', { name: 'Loan issued' }).click()
    const opened = page.getByRole('region', { name: 'Callback for loan_issued' })
    await opened.getByText('No attempt has ended yet.').waitFor()
    received[0]?.end()
    await opened.getByText('Delivered').waitFor()

    const sayings = [
      [{ drop: true }, 'Not sent: dropped by a fault.'],
      [{ delay: 'PT1H' }, 'Not sent yet. Held by a fault: delay.'],
    ] as const
    for (const [effect, saying] of sayings) {
      await tenant.faults.add({ match: { operation: 'callback' }, effect, times: 1 })
      await button(page, 'Send again').click()
      await page.getByText(saying).waitFor()
    }
    expect(received.length).toBe(1)
  })
})

it.skipIf(!hasBrowser)('the last response is said to be among the newest callbacks if there are more', async () => {
  const tenant = await createTenant()
  const leads = createTestLeads(tenant.account)
  for (let count = 0; count < 21; count++) {
    const { lead_id } = await submitLead(tenant.account, leads.distributed())
    await tenant.leads.trigger(lead_id, { event: 'approved' })
  }
  const { page, show } = await openPage()
  await show(`${tenant.name}/callbacks?part=receiver`)
  await page.getByText('Last response among the newest 20 callbacks').waitFor()
  await show(`${tenant.name}/overview`)
  await page.getByText('Last response among the newest 20 callbacks').waitFor()
})

describe.skipIf(!hasBrowser)('the account', () => {
  it('copies the variables of each application, and checks the receiver', async () => {
    const calls: (string | undefined)[] = []
    const receiver = createServer((request, response) => {
      calls.push(request.url)
      response.writeHead(418).end()
    }).listen(0, '127.0.0.1')
    await new Promise(resolve => receiver.once('listening', resolve))
    onTestFinished(() => void receiver.close())
    const tenant = await createTenant()
    const callback_url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/cb`
    await tenant.update({ callback_url })
    const { page, show } = await openPage()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await show(`${tenant.name}/account`)
    await page.getByRole('button', { name: 'Copy as .env for the publisher' }).click()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toContain(`LEAD_PUBLISHER_API_KEY=${tenant.account.publisher.api_key}`)
    await page.getByRole('button', { name: /^Copy as \.env for Banco Brisa$/ }).waitFor()
    await page.getByText('None yet').waitFor()
    await button(page, 'Check now').click()
    await page.getByText('The receiver returned 418.').waitFor()
    expect(calls.length).toBe(1)
    await page.getByText('418', { exact: true }).waitFor()
    await expectFlawless(page)
  })
})

it.skipIf(!hasBrowser)("an uploaded snapshot's name loses its tenant's only if it starts with it", async () => {
  const tenant = await createTenant({ name: 'qa' })
  await tenant.snapshots.save('then')
  const file = await tenant.snapshots.export('then')
  const { page, show } = await openPage()
  await show('qa/snapshots')
  for (const name of ['qa-first.ndjson', 'with-qa-inside.ndjson']) {
    await page.getByLabel('A snapshot file').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(file) })
    await page.getByText('Uploaded. Restore it to use it.').first().waitFor()
  }
  await expect
    .poll(async () => (await tenant.snapshots.list()).snapshots.map(({ name }) => name).sort())
    .toEqual(['first', 'then', 'with-qa-inside'])
})
