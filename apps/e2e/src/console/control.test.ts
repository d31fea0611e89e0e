import { readFile } from 'node:fs/promises'
import { createTestLeads, type TestLead } from '@lead-distribution/contract/test-leads'
import { describe, expect, it } from 'vitest'
import { hasBrowser } from '../browser/open-browser.ts'
import { openForFile, violationsOf } from './console.fixture.ts'
import { submitLead } from './submit-lead.ts'

const { createTenant, openPage } = openForFile()

/** A tenant, a function that submits its leads, and a page that shows one of its views. */
async function openTenant(creation: { name?: string; seed?: string } = {}) {
  const tenant = await createTenant(creation)
  const leads = createTestLeads(tenant.account)
  const submit = (lead: TestLead) => submitLead(tenant.account, lead)
  const { page, show } = await openPage()
  const open = (view: string) => show(`${tenant.name}/${view}`)
  return { tenant, leads, submit, page, open }
}

describe.skipIf(!hasBrowser)('on the page', () => {
  it('a request that created no lead shows every check, and a misspelled field', async () => {
    const { leads, submit, page, open } = await openTenant()
    const lead = leads.distributed()
    const personal_data = { ...lead.customer.personal_data, birth_date: '1990-01-01' }
    await submit({ ...lead, customer: { ...lead.customer, personal_data } })
    await submit(lead)
    await open('requests')
    await page.getByText('Misspelled?').first().waitFor()
    await page.getByRole('link', { name: /lead$/ }).first().click()
    await page.getByRole('heading', { name: 'Every check, in order' }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('link', { name: 'Close' }).click()
    await page.getByRole('link', { name: /lead$/ }).last().click()
    await page.getByText(/did you mean/).waitFor()
  })

  it('callbacks are held, appear on the agenda, and are released', async () => {
    const { tenant, leads, submit, page, open } = await openTenant()
    const { lead_id } = await submit(leads.distributed())
    await open('callbacks')
    await page.getByRole('button', { name: 'Hold callbacks' }).click()
    await page.getByRole('button', { name: 'Release callbacks' }).waitFor()
    await tenant.leads.trigger(lead_id, { event: 'approved' })
    await open('clock')
    await page.getByText('Held by you').waitFor()
    await open('callbacks')
    await page.getByRole('button', { name: 'Release callbacks' }).click()
    expect(await tenant.callbacks.wait({ leadId: lead_id, timeoutMs: 60_000 })).toMatchObject({ state: 'delivered' })
    await page.getByRole('button', { name: 'Hold callbacks' }).waitFor()
  })

  it('callbacks wait for a disconnected listener, and continue once it is ended', async () => {
    const { tenant, leads, submit, page, open } = await openTenant()
    const { lead_id } = await submit(leads.distributed())
    await tenant.listener.start({ forwardTo: 'http://localhost:3000/callbacks' })
    await tenant.leads.trigger(lead_id, { event: 'approved' })
    await open('clock')
    await page.getByText('Held until a listener is connected').waitFor()
    await open('callbacks')
    await page.getByText('Receiver and inbox').click()
    await page.getByText('http://localhost:3000/callbacks').first().waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'End the listener' }).click()
    expect(await tenant.callbacks.wait({ leadId: lead_id, timeoutMs: 60_000 })).toMatchObject({ state: 'delivered' })
  })

  it('an edited copy of a callback is sent and marked as synthetic', async () => {
    const { tenant, leads, submit, page, open } = await openTenant()
    const { lead_id } = await submit(leads.distributed())
    await tenant.leads.trigger(lead_id, { event: 'approved' })
    await tenant.callbacks.wait({ leadId: lead_id, timeoutMs: 60_000 })
    await open('callbacks')
    await page.getByRole('link', { name: 'Loan issued' }).click()
    const copy = page.getByRole('button', { name: 'Send a changed copy' })
    const dialog = page.getByRole('dialog')
    await copy.click()
    await dialog.getByRole('button', { name: 'Cancel' }).focus()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await copy.evaluate(button => button === document.activeElement)).toBe(true)
    await copy.click()
    await page.mouse.click(5, 5)
    await dialog.waitFor({ state: 'detached' })
    await copy.click()
    await page.getByLabel('Event in its query').fill('unknown')
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Send the copy' }).click()
    await page.getByText('1 synthetic callback.').waitFor()
    await page.getByRole('link', { name: 'Close' }).click()
    await page.getByRole('cell', { name: 'Synthetic' }).waitFor()
    const { callbacks } = await tenant.inbox.show()
    expect(callbacks.map(({ event }) => event)).toEqual(['unknown', 'loan_issued'])
    await open(`leads/${lead_id}`)
    await page.getByText('Synthetic callback for loan_issued delivered').waitFor()
  })

  it('any event can be reported, by any advertiser and any number of times', async () => {
    const { tenant, leads, submit, page, open } = await openTenant()
    const { lead_id } = await submit(leads.distributed())
    await open(`leads/${lead_id}`)
    await page.getByRole('button', { name: 'Registration' }).waitFor()
    await page.getByLabel('Reported by').selectOption('body')
    await page.getByText('Another event, advertiser or count').click()
    await page.getByLabel('How many times').fill('2')
    await page.getByLabel('Event', { exact: true }).fill('converted')
    await page.getByRole('button', { name: 'Report', exact: true }).click()
    await page.getByText('The service returned 200, 200').waitFor()
    expect(await violationsOf(page)).toEqual([])
    expect((await tenant.leads.show(lead_id)).events).toMatchObject([{ reported_as: 'converted', via: 'body' }])
  })

  it('a snapshot is downloaded, uploaded, and restored', async () => {
    const { tenant, leads, submit, page, open } = await openTenant({ name: 'committed', seed: 'one' })
    await submit(leads.distributed())
    await tenant.snapshots.save('then')
    await open('snapshots')
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download then' }).click()
    const file = await (await downloading).path()
    await tenant.reset()
    await tenant.snapshots.delete('then')
    const buffer = await readFile(file)
    await page
      .getByLabel('A snapshot file')
      .setInputFiles({ name: 'committed-then.ndjson', mimeType: 'application/x-ndjson', buffer })
    await page.getByRole('button', { name: 'Restore then' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
    await page.getByText('Restored.').waitFor()
    expect((await tenant.leads.list()).leads).toHaveLength(1)
  })

  it('deletions require confirmation, which counts what will be lost', async () => {
    const { tenant, leads, submit, page, open } = await openTenant()
    const { lead_id } = await submit(leads.distributed())
    for (const event of ['registration', 'approved']) await tenant.leads.trigger(lead_id, { event })
    for (let count = 0; count < 3; count++) await submit(leads.ageRestricted())
    const fault = { match: { operation: 'submitLead' }, effect: { status: 503 }, times: 1 } as const
    for (let count = 0; count < 2; count++) await tenant.faults.add(fault)
    await tenant.snapshots.save('then')
    await open('snapshots')
    const dialog = page.getByRole('dialog').last()
    const ask = async (button: string, about: string) => {
      await page.getByRole('button', { name: button }).first().click()
      await dialog.getByText(about).waitFor()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    await ask(
      'Reset the tenant',
      '4 leads, 2 faults and 2 callbacks will be deleted. They are saved as the snapshot before-reset first.',
    )
    await ask(
      'Restore then',
      '4 leads, 2 faults and 2 callbacks will be replaced with those in the snapshot. They are saved as the snapshot before-restore first.',
    )
    await ask('Delete then', "This can't be undone. The tenant itself doesn't change.")
    await page.getByLabel('Name').fill('then')
    await ask('Save a snapshot', "This can't be undone.")
    await open('faults')
    await ask('Remove all', '2 faults will be deleted')
    await ask('Remove the fault', "It matched 0 requests and acted on 0. This can't be undone.")
    await page.getByRole('button', { name: /^Tenant .* Switch$/ }).click()
    await page.getByRole('button', { name: /^Delete/ }).click()
    await dialog.getByText('4 leads, 2 faults and 2 callbacks will be deleted. This cannot be undone.').waitFor()
    expect(await violationsOf(page)).toEqual([])
    const { faults } = await tenant.faults.list()
    expect([(await tenant.leads.list()).leads.length, faults.length]).toEqual([4, 2])
  })

  it("a test copied before the lead is sent asserts the dry run's decision", async () => {
    const { page, open } = await openTenant()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await open('submit')
    const copied = async () => {
      await page.getByRole('button', { name: 'vitest test' }).click()
      return page.evaluate(() => navigator.clipboard.readText())
    }
    await page.getByLabel('Test lead').selectOption({ label: 'Age restriction' })
    expect(await copied()).toContain('"rejection_reason": "age_restriction"')
    await page.getByLabel('Loan amount').fill('1')
    expect(await copied()).toContain('"error": "validation_error"')
    await page.getByLabel('Test lead').selectOption({ label: 'Customer already exists' })
    expect(await copied()).toContain('"rejection_reason": "customer_already_exists"')
  })

  it('the effect of another interpretation is stated once', async () => {
    const { leads, submit, page, open } = await openTenant()
    const lead = leads.distributed()
    const { gender: _, ...personal_data } = lead.customer.personal_data
    const without = { ...lead, customer: { ...lead.customer, personal_data } }
    await open('submit')
    await page.getByLabel('JSON').fill(JSON.stringify(without))
    await page.getByText('the service would respond 400 validation_error.').waitFor()
    await submit(without as TestLead)
    await open('requests')
    await page.getByRole('link', { name: /lead$/ }).click()
    await page.getByText('would respond 400 validation_error.').waitFor()
  })

  it('coverage of all tenants can be filtered by name prefix', async () => {
    const { leads, submit, page, open } = await openTenant({ name: 'covered-1' })
    await submit(leads.distributed())
    await open('coverage')
    await page.getByRole('button', { name: 'All tenants' }).click()
    await page.getByLabel('Name prefix').fill('covered-')
    await page.getByRole('heading', { name: /^1 of \d+ seen by 1 tenant$/ }).waitFor()
  })

  it('a setting shows its reason', async () => {
    const { page, open } = await openTenant()
    await open('account')
    const field = page.getByLabel('Duplicate window')
    await field.waitFor()
    const hint = await field.getAttribute('aria-describedby')
    expect(await page.locator(`[id="${hint}"]`).textContent()).toContain('How soon is too soon')
  })
})
