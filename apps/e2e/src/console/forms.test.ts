import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { connectSandbox } from '@lead-distribution/control-client'
import { controlDocument } from '@lead-distribution/simulator/documents'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { root } from '../architecture/sources.ts'
import { hasBrowser } from '../browser/open-browser.ts'
import { expectFlawless, openForFile, settled } from './console.fixture.ts'
import { Keyboard } from './keyboard.ts'
import { submitLead } from './submit-lead.ts'

const { createTenant, openPage } = openForFile()

/** The account view of a new tenant. */
async function openAccount() {
  const tenant = await createTenant()
  const watched = await openPage()
  await watched.show(`${tenant.name}/account`)
  await watched.page.getByRole('button', { name: 'Save Settings' }).waitFor()
  return { ...watched, tenant, dialog: watched.page.getByRole('dialog'), keyboard: new Keyboard(watched.page) }
}

interface Schema {
  $ref?: string
  items?: Schema
  properties?: Record<string, Schema>
}

/** Returns the names of all fields in a part of the account, at any depth. */
function fieldNames(part: string): string[] {
  const { schemas = {} } = (controlDocument([], {}) as { components: { schemas?: Record<string, Schema> } }).components
  const namesIn = ({ $ref = '', properties = {}, items }: Schema): string[] => {
    const named = schemas[$ref.split('/').at(-1) ?? '']
    if (named) return namesIn(named)
    if (items) return namesIn(items)
    return Object.entries(properties).flatMap(([name, each]) => [name, ...namesIn(each)])
  }
  return namesIn(schemas.ChangeTenantInput?.properties?.[part] ?? {})
}

/** Returns the labels of a form's fields, as wire names. */
async function labelsOf(page: Page, form: string): Promise<Set<string>> {
  const labels = await page.getByRole('form', { name: form }).locator('label, legend').allInnerTexts()
  return new Set(
    labels.map(label =>
      label
        .replace(/, \w+$/, '')
        .trim()
        .toLowerCase()
        .replaceAll(' ', '_'),
    ),
  )
}

describe.skipIf(!hasBrowser)('the forms of the account', () => {
  it('show before saving which recent leads would be decided differently', async () => {
    const { page, tenant, dialog } = await openAccount()
    const product = tenant.account.products.find(({ active }) => active) ?? expect.fail('There is no product.')
    for (let customer = 0; customer < 5; customer++)
      await submitLead(
        tenant.account,
        tenant.testLeads.distributed({ product_data: { loan_amount: 1_000 + customer } }),
      )
    await page.getByRole('button', { name: `Edit ${product.name}` }).click()
    const minimum = dialog.getByRole('group', { name: 'Loan amount' }).getByLabel('Min')
    await minimum.fill('1004')
    const preview = dialog.getByRole('status')
    await preview.getByText('4 of the latest 5 leads would be decided differently').click()
    expect(await preview.getByRole('listitem').textContent()).toMatch(
      /^4 Distributed → Eligibility failed .*loan_amount/,
    )
    expect(await preview.getByRole('link').count()).toBe(3)
    await minimum.fill('1000')
    await preview.getByText('None of the latest 5 leads would be decided differently.').waitFor()
    expect((await tenant.show()).products).toEqual(tenant.account.products)
    await minimum.fill('1004')
    await preview.getByText('4 of the latest 5 leads would be decided differently').waitFor()
    await expectFlawless(page)
  })

  it("have a field for everything in the account's shape", async () => {
    const { page, tenant } = await openAccount()
    const lifecycle = [{ event: 'registration', after: 'PT1M' }]
    await tenant.update({ settings: { lifecycle } })
    await page.getByRole('group', { name: 'Lifecycle 1' }).waitFor()
    const forms = [
      ['publisher', 'Publisher'],
      ['products', 'Personal loan'],
      ['advertisers', 'Banco Brisa'],
      ['blacklist', 'Blacklist'],
      ['settings', 'Settings'],
    ] as const
    for (const [part, form] of forms) {
      if (part !== 'settings') await page.getByRole('button', { name: `Edit ${form}` }).click()
      await page.getByRole('form', { name: form }).waitFor()
      const shown = await labelsOf(page, form)
      expect(
        fieldNames(part).filter(name => !shown.has(name)),
        part,
      ).toEqual([])
      await page.keyboard.press('Escape')
    }
  })

  it('change a criterion by keyboard alone, and send only the change', async () => {
    const { page, keyboard, tenant, complaints } = await openAccount()
    const before = await tenant.show()
    await keyboard.press('button', 'Edit Personal loan')
    await keyboard.reach(page.getByRole('group', { name: 'Loan amount' }).getByLabel('Max'))
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('9000')
    await keyboard.press('checkbox', 'student', 'Space')
    const sent = page.waitForRequest(request => request.method() === 'PATCH')
    await keyboard.press('button', 'Save Personal loan')
    const [product] = before.products
    expect((await sent).postDataJSON()).toEqual({
      products: [
        {
          product_id: product?.product_id,
          criteria: { loan_amount: { min: 500, max: 9000 }, occupations_excluded: ['unemployed', 'student'] },
        },
      ],
    })
    await page.getByText('500 to 9000').waitFor()
    // A half-typed number has no preview.
    expect(complaints.filter(text => !text.includes('400'))).toEqual([])
  })

  it("show a bound's error in place, and the sandbox's own issue at its field", async () => {
    const { page, dialog, tenant } = await openAccount()
    await page.getByRole('button', { name: 'Edit Personal loan' }).click()
    await page.getByLabel('Max age').fill('201')
    await page.getByLabel('Max age').blur()
    await dialog.getByText('Must be at most 200.').waitFor()
    await page.getByRole('button', { name: 'Save Personal loan' }).click()
    await expect.poll(() => page.getByLabel('Max age').evaluate(field => field === document.activeElement)).toBe(true)
    await page.getByLabel('Max age').fill('70')
    await page.getByRole('group', { name: 'Loan term months' }).getByLabel('Min').fill('85')
    await page.getByRole('button', { name: 'Save Personal loan' }).click()
    const terms = page.getByRole('group', { name: 'Loan term months' })
    await terms.getByText('Must have a min that is not greater than its max.').waitFor()
    await terms.getByLabel('Min').fill('6')
    await page.getByRole('button', { name: 'Save Personal loan' }).click()
    await dialog.waitFor({ state: 'detached' })
    const { products } = await tenant.show()
    expect(products[0]?.criteria).toMatchObject({ max_age: 70, loan_term_months: { min: 6, max: 84 } })
  })

  it('add an advertiser with its defaults, move it up, and remove it', async () => {
    const { page, dialog, tenant } = await openAccount()
    await page.getByRole('button', { name: 'Add an advertiser' }).click()
    await page.getByRole('button', { name: 'Save an advertiser' }).click()
    await dialog.getByText('Must not be empty.').waitFor()
    await dialog.getByLabel('Name').fill('Fondo Faro')
    await page.getByRole('button', { name: 'Save an advertiser' }).click()
    await page.getByRole('heading', { name: '4. Fondo Faro' }).waitFor()
    await page.getByRole('button', { name: 'Ask Fondo Faro earlier' }).click()
    await page.getByRole('heading', { name: '3. Fondo Faro' }).waitFor()
    const names = async () => {
      const { advertisers } = await tenant.show()
      return advertisers.toSorted((a, b) => a.priority - b.priority).map(({ name }) => name)
    }
    expect(await names()).toEqual(['Crédito Alba', 'Banco Brisa', 'Fondo Faro', 'Caja Cumbre'])
    await page.getByRole('button', { name: 'Remove Fondo Faro' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('3. Fondo Faro').waitFor({ state: 'detached' })
    expect(await names()).toEqual(['Crédito Alba', 'Banco Brisa', 'Caja Cumbre'])
  })

  it('edit the same value as JSON, with errors in place', async () => {
    const { page, dialog, tenant } = await openAccount()
    await page.getByRole('button', { name: 'Edit Personal loan' }).click()
    await page.getByLabel('Min age').fill('19')
    await dialog.getByRole('button', { name: 'JSON' }).click()
    const json = page.getByLabel('JSON')
    const text = await json.inputValue()
    // Typing doesn't reformat.
    await json.fill(`${text}  `)
    expect(await json.inputValue()).toBe(`${text}  `)
    expect(JSON.parse(text).criteria.min_age).toBe(19)
    await json.fill(text.slice(0, -1))
    await dialog.getByText("This isn't valid JSON").waitFor()
    // The text stays until it is valid JSON again.
    await dialog.getByRole('button', { name: 'Fields' }).click()
    expect(await json.inputValue()).toBe(text.slice(0, -1))
    await json.fill(text.replace('"min_age": 19', '"min_age": 20, "color": "red"'))
    await dialog.getByText('criteria.color').waitFor()
    await json.fill(text.replace('"min_age": 19', '"min_age": 20'))
    await dialog.getByRole('button', { name: 'Fields' }).click()
    expect(await page.getByLabel('Min age').inputValue()).toBe('20')
    await page.getByRole('button', { name: 'Save Personal loan' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect((await tenant.show()).products[0]?.criteria.min_age).toBe(20)
  })

  it('keep unsaved changes, and say which of the edited fields somebody else changed', async () => {
    const { page, dialog, tenant } = await openAccount()
    const [product] = (await tenant.show()).products
    const product_id = product?.product_id ?? ''
    await page.getByRole('button', { name: 'Edit Personal loan' }).click()
    await page.getByLabel('Min age').press('End')
    await page.keyboard.type('05')
    await page.keyboard.press('Escape')
    await page.getByText('Unsaved').waitFor()
    await tenant.update({ products: [{ product_id, name: 'Theirs', criteria: { max_age: 60 } }] })
    await page.getByRole('link', { name: 'Clock', exact: true }).click()
    await page.getByRole('link', { name: 'Account' }).click()
    await page.getByRole('button', { name: 'Edit Theirs' }).click()
    expect(await page.getByLabel('Min age').inputValue()).toBe('1805')
    expect(await page.getByLabel('Max age').inputValue()).toBe('60')
    const warning = dialog.getByText('Somebody else changed what you are editing.')
    expect(await warning.count()).toBe(0)
    await page.getByLabel('Min age').fill('30')
    await page.getByLabel('Max age').fill('65')
    await tenant.update({ products: [{ product_id, name: 'Ours', criteria: { min_age: 21, max_age: 61 } }] })
    await warning.waitFor()
    await dialog.getByText('criteria.min_age is now 21.').waitFor()
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Ours')
    await expectFlawless(page)
    await dialog.getByRole('button', { name: 'Use this value of criteria.max_age' }).click()
    expect(await page.getByLabel('Max age').inputValue()).toBe('61')
    expect(await dialog.evaluate(element => element.contains(document.activeElement))).toBe(true)
    const sent = page.waitForRequest(request => request.method() === 'PATCH')
    await page.getByRole('button', { name: 'Save Ours' }).click()
    expect((await sent).postDataJSON()).toEqual({ products: [{ product_id, criteria: { min_age: 30 } }] })
    await dialog.waitFor({ state: 'detached' })
    const { products } = await tenant.show()
    expect(products[0]).toMatchObject({ name: 'Ours', criteria: { min_age: 30, max_age: 61 } })
  })

  it('close with their button and with Back, and keep unsaved changes', async () => {
    const { page, dialog } = await openAccount()
    const edit = page.getByRole('button', { name: 'Edit Personal loan' })
    await page.getByRole('link', { name: 'Clock', exact: true }).click()
    // A link to the view that is still shown would replace the entry of the history.
    await page.getByRole('heading', { name: 'Clock', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Account' }).click()
    await edit.click()
    await page.getByLabel('Min age').fill('30')
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await edit.evaluate(button => button === document.activeElement)).toBe(true)
    await edit.click()
    expect(await page.getByLabel('Min age').inputValue()).toBe('30')
    await page.goBack()
    await page.getByRole('heading', { name: 'Clock', level: 1 }).waitFor()
    expect(await dialog.count()).toBe(0)
    await page.getByRole('link', { name: 'Account' }).click()
    await page.getByText('Unsaved').waitFor()
  })

  it('overwrite nothing that the page has not shown yet', async () => {
    const { page, dialog, tenant } = await openAccount()
    const [product] = (await tenant.show()).products
    const product_id = product?.product_id ?? ''
    await page.getByRole('button', { name: 'Edit Personal loan' }).click()
    await page.getByLabel('Min age').fill('30')
    // The next request for the account is the one on saving.
    await settled(page)
    await page.route(
      /\/tenants\/[^/]+$|\/_sandbox\/v1\/[^/]+$/,
      async route => {
        await tenant.update({ products: [{ product_id, criteria: { min_age: 21 } }] })
        await route.continue()
      },
      { times: 1 },
    )
    await page.getByRole('button', { name: 'Save Personal loan' }).click()
    await dialog.getByText('Nothing was saved.').waitFor()
    await dialog.getByText('criteria.min_age is now 21.').waitFor()
    expect((await tenant.show()).products[0]?.criteria.min_age).toBe(21)
    await page.getByRole('button', { name: 'Save Personal loan' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect((await tenant.show()).products[0]?.criteria.min_age).toBe(30)
  })

  it('keep what somebody else changed while the JSON was not valid', async () => {
    const { page, dialog, tenant } = await openAccount()
    const [product] = (await tenant.show()).products
    const product_id = product?.product_id ?? ''
    await page.getByRole('button', { name: 'Edit Personal loan' }).click()
    await page.getByLabel('Min age').fill('30')
    await dialog.getByRole('button', { name: 'JSON' }).click()
    const json = page.getByLabel('JSON')
    const text = await json.inputValue()
    await json.fill(text.slice(0, -1))
    await tenant.update({ products: [{ product_id, name: 'Newest' }] })
    await dialog.getByRole('heading', { name: 'Edit: Newest' }).waitFor()
    expect(await json.inputValue()).toBe(text.slice(0, -1))
    await json.fill(text)
    await dialog.getByRole('button', { name: 'Fields' }).click()
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Newest')
    await dialog.getByRole('button', { name: 'Discard changes' }).click()
    expect(await page.getByLabel('Min age').inputValue()).toBe(String(product?.criteria.min_age))
    expect(await page.getByRole('button', { name: 'Save Newest' }).isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    expect(await page.getByText('Unsaved').count()).toBe(0)
  })

  it('show a part of a long list, and more if the sandbox reports an issue there', async () => {
    const { page, dialog, tenant } = await openAccount()
    const [product] = (await tenant.show()).products
    const product_id = product?.product_id ?? ''
    const fraud_ip_ranges = Array.from({ length: 70 }, (_, index) => `192.0.2.${index}/32`)
    await tenant.update({ products: [{ product_id, criteria: { fraud_ip_ranges } }] })
    await page.getByText('192.0.2.69/32').waitFor()
    await page.getByRole('button', { name: 'Edit Personal loan' }).click()
    const ranges = page.getByRole('textbox', { name: /^Fraud IP ranges \d/ })
    await page.getByRole('button', { name: 'Show more of 70' }).waitFor()
    expect(await ranges.count()).toBe(50)
    await dialog.getByRole('button', { name: 'JSON' }).click()
    const json = page.getByLabel('JSON')
    await json.fill((await json.inputValue()).replace('192.0.2.60/32', '192.0.2.60'))
    await page.getByRole('button', { name: 'Save Personal loan' }).click()
    await page.getByText('must be an IPv4 network').waitFor()
    await dialog.getByRole('button', { name: 'Fields' }).click()
    await page.getByText('Must be an IPv4 network, such as 192.0.2.0/24.').waitFor()
    expect(await ranges.count()).toBe(61)
  })

  it("pass axe, and fit each screen's width", async () => {
    const { page, dialog } = await openAccount()
    for (const name of ['Publisher', 'Banco Brisa', 'Blacklist']) {
      await page.getByRole('button', { name: `Edit ${name}` }).click()
      await page.getByRole('form', { name }).waitFor()
      for (const tab of ['Fields', 'JSON']) {
        await dialog.getByRole('button', { name: tab, exact: true }).click()
        await expectFlawless(page, `${name} ${tab}`)
      }
      await page.keyboard.press('Escape')
    }
  })
})

describe.skipIf(!hasBrowser)('a tenant that is created', () => {
  it('shows its keys, and copies the same .env as the command line', async () => {
    const { page, show } = await openPage()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await show('demo/leads')
    await page.getByRole('button', { name: /^Tenant demo/ }).click()
    await page.getByRole('button', { name: 'New tenant' }).click()
    const name = 'keys'
    await page.getByLabel('Name').fill(name)
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText(/^sandbox_pub_/).waitFor()
    await expectFlawless(page)
    const sandbox = new URL(page.url()).origin
    const { account } = await (await connectSandbox(sandbox)).openTenant(name)
    const printed = async (...command: string[]) => {
      const main = join(root, 'apps/sandbox/src/main.ts')
      const args = [main, 'env', ...command, '--tenant', name, '--sandbox', sandbox]
      return (await promisify(execFile)(process.execPath, args)).stdout.trimEnd()
    }
    const copied = async (whose: string) => {
      await page.getByRole('button', { name: `Copy as .env for ${whose}` }).click()
      await page.getByText(`Copied for ${whose}`).waitFor()
      return page.evaluate(() => navigator.clipboard.readText())
    }
    expect(await copied('the publisher')).toBe(await printed('publisher'))
    const { advertiser_id = '' } = account.advertisers[1] ?? {}
    expect(await copied('Banco Brisa')).toBe(await printed('advertiser', '--advertiser', advertiser_id))
    await page.getByRole('button', { name: 'Done' }).click()
    await show(`${name}/account`)
    await page.getByRole('button', { name: 'Reveal API key' }).first().waitFor()
    expect(await page.content()).not.toContain(account.publisher.api_key)
  })
})
