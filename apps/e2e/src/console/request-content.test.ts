import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hasBrowser } from '../browser/open-browser.ts'
import { expectFlawless, openForFile } from './console.fixture.ts'
import { submitLead } from './submit-lead.ts'

const { createTenant, openPage } = openForFile()

/** A receiver on this machine that fails with a long response. */
async function openReceiver(): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(503, { 'content-type': 'text/plain', 'set-cookie': 'session=planted' })
    response.end('Down for maintenance. Ask ops@example.com.')
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`
}

describe.skipIf(!hasBrowser)('a request', () => {
  it('shows the request and the response, masked', async () => {
    const tenant = await createTenant()
    const lead = createTestLeads(tenant.account).incomeInsufficient()
    await submitLead(tenant.account, lead)
    const { page, complaints, show } = await openPage()
    await show(`${tenant.name}/requests`)
    await page.getByRole('link', { name: 'POST /lead' }).click()
    await page.getByRole('heading', { name: 'Request', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Copy the body of the request' }).waitFor()
    const bodies = await page.locator('.message pre').allTextContents()
    expect(bodies[0]).toBe('POST /api/v1/lead')
    const sent = JSON.parse(bodies[1] ?? '')
    expect(sent.customer.personal_data.first_name).toBe('***')
    expect(sent.product_data).toMatchObject({ loan_purpose: expect.any(String) })
    expect(JSON.parse(bodies[2] ?? '')).toMatchObject({ rejection_reason: 'income_insufficient' })
    await page.getByRole('button', { name: 'Copy as curl' }).waitFor()
    await expectFlawless(page)
    expect(complaints).toEqual([])
  })

  it('of a tenant that stores no bodies says how to store them', async () => {
    const tenant = await createTenant()
    await tenant.update({ settings: { journal_bodies: 'off' } })
    await submitLead(tenant.account, createTestLeads(tenant.account).distributed())
    const { page, show } = await openPage()
    await show(`${tenant.name}/requests`)
    await page.getByRole('link', { name: 'POST /lead' }).click()
    await page.getByText('This tenant keeps no bodies.').waitFor()
    await page.getByRole('link', { name: 'Open the settings' }).click()
    await page.getByLabel('Journal bodies').selectOption('masked')
  })
})

describe.skipIf(!hasBrowser)('a callback', () => {
  it('shows each response of its receiver, and the time of the next attempt', async () => {
    const tenant = await createTenant()
    await tenant.update({ callback_url: await openReceiver(), settings: { callback_retries: ['PT5M', 'PT1H'] } })
    const { lead_id } = await submitLead(tenant.account, createTestLeads(tenant.account).distributed())
    await tenant.clock.freeze()
    await tenant.leads.trigger(lead_id, { event: 'approved' })
    await tenant.clock.advance({ by: 'PT5M' })
    const { page, complaints, show } = await openPage()
    await show(`${tenant.name}/callbacks`)
    await page.getByRole('link', { name: /Loan issued/ }).click()
    await page.getByText('Next attempt', { exact: true }).waitFor()
    await page.getByText('in 1 h once the clock moves: it is frozen').waitFor()
    const attempts = page.locator('.attempts > li')
    await attempts.nth(1).getByText('Down for maintenance. Ask ***.').waitFor()
    expect(await attempts.count()).toBe(2)
    expect(await attempts.nth(1).textContent()).not.toContain('planted')
    await attempts.nth(0).locator('summary').first().press('Enter')
    await attempts.nth(0).getByText('Down for maintenance').waitFor()
    await expectFlawless(page)
    expect(complaints).toEqual([])
  })
})
