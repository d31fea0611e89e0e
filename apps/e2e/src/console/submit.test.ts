import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { root } from '../architecture/sources.ts'
import { hasBrowser } from '../browser/open-browser.ts'
import { openForFile, screens, settled, violationsOf } from './console.fixture.ts'

const { createTenant, openPage } = openForFile()

/** A page with the lead to submit, for a new tenant. */
async function openSubmit(choice = '', screen?: (typeof screens)[number]) {
  const tenant = await createTenant()
  const watched = await openPage(screen)
  await watched.show(`${tenant.name}/submit${choice}`)
  await watched.page.getByRole('button', { name: 'Send the lead' }).waitFor()
  return { ...watched, tenant, editor: watched.page.getByRole('textbox', { name: 'JSON' }) }
}

/** Returns an editor's text, if it is short enough to be rendered completely. */
const textOf = async (editor: Locator) => (await editor.locator('.cm-line').allTextContents()).join('\n')

describe.skipIf(!hasBrowser)('a lead that is sent', () => {
  it('shows the decision instead of the dry run, and links to the lead', async () => {
    const { page, tenant } = await openSubmit('?lead=ageRestricted-age_restriction')
    await page.getByRole('heading', { name: 'Dry run' }).waitFor()
    await page.getByRole('button', { name: 'Send the lead' }).click()
    await page.getByRole('heading', { name: 'Decision' }).waitFor()
    expect(await page.getByRole('heading', { name: 'Dry run' }).count()).toBe(0)
    await page.getByRole('row', { name: /^Age 17.*Rejected$/ }).waitFor()
    const [lead] = (await tenant.leads.list()).leads
    await page.getByRole('link', { name: 'Open the lead' }).click()
    await page.getByRole('heading', { level: 1, name: lead?.email ?? '' }).waitFor()
  })

  it('can be repeated for another customer with the same edits', async () => {
    const { page, tenant } = await openSubmit()
    await page.getByLabel('Loan amount').fill('4321')
    await page.getByRole('button', { name: 'Send the lead' }).click()
    const next = page.getByRole('button', { name: 'Send another customer' })
    await next.waitFor()
    expect(await next.getAttribute('class')).toBe('primary')
    await next.click()
    await expect.poll(async () => (await tenant.leads.list()).leads.length).toBe(2)
    const { leads } = await tenant.leads.list()
    expect(leads.map(lead => [lead.status, lead.loan_amount])).toEqual([
      ['distributed', 4321],
      ['distributed', 4321],
    ])
    expect(new Set(leads.map(({ email }) => email)).size).toBe(2)
  })

  it('can be sent by the SDK code, run as its first line says', async () => {
    const { page, tenant } = await openSubmit()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'SDK code' }).click()
    const code = await page.evaluate(() => navigator.clipboard.readText())
    const command = /^\/\/ (.*) node submit\.mjs$/m.exec(code)?.[1]
    const { stdout } = await promisify(execFile)('sh', ['-c', `${command} "$NODE" --input-type=module -e "$CODE"`], {
      cwd: `${root}/apps/e2e`,
      env: { ...process.env, NODE: process.execPath, CODE: code },
      timeout: 60_000,
    })
    expect(stdout).toMatch(/^Redirect the customer to http/)
    expect((await tenant.leads.list()).leads).toMatchObject([{ status: 'distributed' }])
  })

  it('has no dry run of an earlier lead while the sandbox cannot explain this one', async () => {
    const { page, editor } = await openSubmit()
    await page.getByText('The response you would get now.').waitFor()
    await editor.fill('{')
    await page.getByText("There is no dry run of a body that isn't JSON.").waitFor()
    await expect.poll(() => page.getByText('The response you would get now.').count()).toBe(0)
    await page.getByLabel('Test lead').selectOption({ label: 'Income insufficient' })
    await page.getByText('The response you would get now.').waitFor()
    await page.route('**/leads/explain', route => route.abort())
    await page.getByLabel('Loan amount').fill('1')
    await page.getByRole('alert').getByText('No sandbox responds').waitFor()
    expect(await page.getByText('The response you would get now.').count()).toBe(0)
    expect(await page.getByRole('cell', { name: 'Passed', exact: true }).count()).toBe(0)
  })

  it('shows the dry run again after an edit', async () => {
    const { page } = await openSubmit()
    await page.getByRole('button', { name: 'Send the lead' }).click()
    await page.getByRole('heading', { name: 'Decision' }).waitFor()
    await page.getByLabel('Loan amount').fill('900')
    await page.getByRole('heading', { name: 'Dry run' }).waitFor()
    await page.getByRole('button', { name: 'Send the lead' }).waitFor()
  })

  it('is sent once by a double click', async () => {
    const { page, tenant } = await openSubmit()
    await page.getByRole('button', { name: 'Send the lead' }).dblclick()
    await page.getByRole('button', { name: 'Send another customer' }).waitFor()
    await settled(page)
    expect((await tenant.leads.list()).leads.length).toBe(1)
  })
})

describe.skipIf(!hasBrowser)('the choice of a test lead', () => {
  it('is in the address', async () => {
    const { page } = await openSubmit('?lead=incomeInsufficient-income_insufficient')
    const choice = page.getByLabel('Test lead')
    expect(await choice.inputValue()).toBe('incomeInsufficient-income_insufficient')
    await choice.selectOption({ label: 'Age restriction' })
    await page.getByRole('row', { name: /^Age 17/ }).waitFor()
    expect(page.url()).toMatch(/\/submit\?lead=ageRestricted-age_restriction$/)
    await page.reload()
    await page.getByRole('row', { name: /^Age 17/ }).waitFor()
  })

  it('says when the address names none', async () => {
    const { page } = await openSubmit('?lead=nothing')
    await page.getByText('There is no test lead nothing.').waitFor()
    await page.getByRole('row', { name: /^Distribution.*Passed$/ }).waitFor()
  })
})

describe.skipIf(!hasBrowser)('the editor of a lead', () => {
  it("completes names and values, explains a field, and marks errors, under the page's policy", async () => {
    const { page, editor, complaints, elsewhere } = await openSubmit()
    await editor.fill('{}')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.type('"prod')
    await page.getByRole('option', { name: /^product_data/ }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('option', { name: /^product_data/ }).click()
    expect(await textOf(editor)).toBe('{"product_data": {}}')
    await page.keyboard.type('"loan_p')
    await page.getByRole('option', { name: /^loan_purpose/ }).click()
    await page.getByRole('option', { name: 'home_improvement' }).click()
    expect(await textOf(editor)).toBe('{"product_data": {"loan_purpose": "home_improvement"}}')

    await editor.getByText('"loan_purpose"').hover()
    await page.getByText('Loan purpose.').last().waitFor()
    await page.getByRole('button', { name: 'product_data.loan_amount' }).waitFor()
    await expect.poll(() => editor.locator('.cm-lintRange-error').first().isVisible()).toBe(true)
    await editor.press('End')
    await editor.press('Backspace')
    await page.getByText("This isn't valid JSON").waitFor()
    expect([complaints, elsewhere]).toEqual([[], []])
  })

  it('lets the keyboard leave it', async () => {
    const { page, editor } = await openSubmit()
    await editor.click()
    const before = await textOf(editor)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Send the lead')
    expect(await textOf(editor)).toBe(before)
  })

  it('and the fields edit the same text', async () => {
    const { page, editor } = await openSubmit()
    await editor.waitFor()
    await page.getByLabel('Loan amount').fill('777')
    await expect.poll(() => textOf(editor)).toContain('"loan_amount": 777')
    await page.getByLabel('Loan term months').fill('')
    await page.getByText('10 more fields').click()
    await page.getByLabel('E-mail status').selectOption({ label: 'Verified' })
    await expect.poll(() => textOf(editor)).toMatch(/"email": \{[^}]*"status": "verified"/)
    expect(await textOf(editor)).not.toContain('loan_term_months')
    await page.getByText('Is required.').waitFor()
    await page.getByLabel('Loan term months').fill('24')
    await page.getByRole('region', { name: 'Fields' }).getByText('Consents', { exact: true }).click()
    await page.getByRole('button', { name: 'Remove Entries 2: Privacy policy' }).click()
    await page.getByRole('row', { name: /^Consents.*Rejected$/ }).waitFor()
    await editor.fill('{"product_data":{"loan_amount":888}}')
    expect(await page.getByLabel('Loan amount').inputValue()).toBe('888')
    await editor.fill('[]')
    await page.getByText('The fields can be changed once the text is a JSON object.').waitFor()
    expect(await page.getByLabel('Loan amount').isDisabled()).toBe(true)
  })

  it('is loaded when it is shown', async () => {
    const tenant = await createTenant()
    const { page, show } = await openPage(screens[1])
    const scripts: string[] = []
    page.on('request', request => request.url().includes('json-editor') && scripts.push(request.url()))
    await show(`${tenant.name}/submit`)
    await page.getByLabel('Loan amount').waitFor()
    await settled(page)
    expect(scripts).toEqual([])
    await page.getByRole('button', { name: 'Fields and JSON' }).click()
    await page.getByRole('textbox', { name: 'JSON' }).waitFor()
    expect(scripts.length).toBe(1)
    expect(await violationsOf(page)).toEqual([])
  })
})
