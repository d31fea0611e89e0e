import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createTestLeads, requestsOf, type Tenant, type TestRequest } from '@lead-distribution/control-client'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { root } from '../architecture/sources.ts'
import { hasBrowser } from '../browser/open-browser.ts'
import { typeFaults } from '../code-blocks/type-faults.ts'
import { openForFile } from './console.fixture.ts'
import { submitLead } from './submit-lead.ts'

const { createTenant, openPage } = openForFile({ keepsFullRequests: true })
const hasCurl = spawnSync('curl', ['--version']).status === 0
const run = promisify(execFile)

/** A way to get a response in Submit. */
interface Situation {
  readonly name: string
  /** Takes the page from an empty Submit to the response. */
  readonly reach: (page: Page, tenant: Tenant, show: (path: string) => Promise<unknown>) => Promise<void>
  readonly outcome: Readonly<Record<string, string>>
  /** The output of the SDK code, or its error if it throws one. */
  readonly printed: RegExp
}

const send = async (page: Page, name = 'Send the lead') => {
  await page.getByRole('button', { name, exact: true }).click()
  await page.getByRole('heading', { name: 'Decision' }).waitFor()
  await page.getByRole('button', { name: 'Send the same lead again' }).and(page.locator(':enabled')).waitFor()
}

const choose = (label: string) => async (page: Page) => {
  await page.getByLabel('Test lead').selectOption({ label })
  await send(page)
}

/** Sends a request as the publisher's application does, and opens it in Submit. */
async function editSent(
  page: Page,
  { account, name }: Tenant,
  show: (path: string) => Promise<unknown>,
  { headers, body }: TestRequest,
): Promise<void> {
  await fetch(`${account.base_url}/lead`, {
    method: 'POST',
    headers: { apikey: account.publisher.api_key, ...headers },
    body,
  })
  await show(`${name}/requests`)
  await page.getByRole('link', { name: 'POST /lead' }).click()
  await page.getByRole('button', { name: 'Edit and send' }).click()
  await page.getByRole('button', { name: 'Send the lead' }).waitFor()
}

const situations: readonly Situation[] = [
  {
    name: 'distributed',
    reach: choose('Distributed'),
    outcome: { status: 'distributed' },
    printed: /^Redirect the customer to http/,
  },
  {
    name: 'rejected',
    reach: choose('Income insufficient'),
    outcome: { status: 'rejected', rejection_reason: 'income_insufficient' },
    printed: /^Rejected: income_insufficient/,
  },
  {
    name: 'sent twice',
    async reach(page) {
      await send(page)
      await page.getByRole('button', { name: 'Send the same lead again' }).click()
      await page.getByRole('strong').getByText('Customer already exists').waitFor()
    },
    outcome: { status: 'rejected', rejection_reason: 'customer_already_exists' },
    printed: /^Rejected: customer_already_exists/,
  },
  {
    name: 'that needs an earlier one',
    reach: choose('Customer already exists'),
    outcome: { status: 'rejected', rejection_reason: 'customer_already_exists' },
    printed: /^Rejected: customer_already_exists/,
  },
  {
    name: 'with a scenario header',
    async reach(page, tenant, show) {
      const [request] = requestsOf(createTestLeads(tenant.account).distributed())
      const headers = { ...request?.headers, 'x-sandbox-scenario': 'blacklisted' }
      await editSent(page, tenant, show, { headers, body: request?.body ?? '' })
      await page.getByText('x-sandbox-scenario: blacklisted').waitFor()
      await send(page)
    },
    outcome: { status: 'rejected', rejection_reason: 'blacklisted' },
    printed: /^Rejected: blacklisted/,
  },
  {
    name: 'of malformed JSON',
    reach: choose('400 malformed json'),
    outcome: { error: 'malformed_json' },
    printed: /^400 .*malformed_json/,
  },
  {
    name: 'with a NUL',
    async reach(page, tenant, show) {
      await editSent(page, tenant, show, { headers: { 'content-type': 'application/json' }, body: '{"a":"\\u005c\0"}' })
      await send(page)
    },
    outcome: { error: 'malformed_json' },
    printed: /^400 .*malformed_json/,
  },
  {
    name: 'with a missing field',
    async reach(page) {
      const editor = page.getByRole('textbox', { name: 'JSON' })
      await editor.fill('{"product_data":{"loan_amount":900}}')
      await page.getByRole('button', { name: 'product_data.loan_term_months' }).waitFor()
      await send(page)
    },
    outcome: { error: 'validation_error' },
    printed: /validation_error/,
  },
  {
    name: 'of a body that is too large',
    reach: choose('413 payload too large'),
    outcome: { error: 'payload_too_large' },
    printed: /^413 .*payload_too_large/,
  },
]

/** The folder of the files to run. It must be in the workspace, to find the packages. */
mkdirSync(join(root, 'apps/e2e/build'), { recursive: true })
const folder = mkdtempSync(join(root, 'apps/e2e/build/copied-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const testFiles: string[] = []

/** Runs a vitest test's code with this vitest. */
async function runTest(name: string, code: string): Promise<void> {
  const file = join(folder, `${name.replaceAll(' ', '-')}.ts`)
  testFiles.push(file)
  writeFileSync(file, code)
  const body = code.replace(/\bit\('[^']*', async/, 'export const test = (async').replace(/\}\)\s*$/, '})')
  const module = file.replace(/\.ts$/, '.run.ts')
  writeFileSync(module, body)
  const { test } = (await import(/* @vite-ignore */ module)) as { test: () => Promise<void> }
  await test()
}

describe.skipIf(!hasBrowser).each(situations)('a lead $name', ({ name, reach, outcome, printed }) => {
  it('is copied as code that gets the same response', async () => {
    const tenant = await createTenant()
    const { page, show } = await openPage()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await show(`${tenant.name}/submit`)
    await page.getByRole('button', { name: 'Send the lead' }).waitFor()
    await reach(page, tenant, show)
    const copied = async (label: string) => {
      await page.getByRole('button', { name: label, exact: true }).click()
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      const text = await page.evaluate(() => navigator.clipboard.readText())
      await page.getByRole('button', { name: label, exact: true }).waitFor()
      return text
    }
    const texts = { curl: await copied('curl'), sdk: await copied('SDK code'), test: await copied('vitest test') }
    await runTest(name, texts.test)
    if (hasCurl) {
      await tenant.reset()
      // The shell has no limit for its input.
      const shelled = run('sh', { timeout: 60_000 })
      shelled.child.stdin?.end(texts.curl)
      const shell = await shelled
      expect(JSON.parse(shell.stdout.split(/(?<=\})(?=\{)/).at(-1) ?? ''), shell.stderr).toMatchObject(outcome)
    }
    await tenant.reset()
    const module = join(folder, `${name.replaceAll(' ', '-')}.mjs`)
    writeFileSync(module, texts.sdk)
    const command = /^\/\/ (.*) node submit\.mjs$/m.exec(texts.sdk)?.[1]
    const done = await run('sh', ['-c', `${command} "$NODE" "$MODULE"`], {
      env: { ...process.env, NODE: process.execPath, MODULE: module },
      timeout: 60_000,
    }).catch((error: { stdout: string; stderr: string }) => error)
    expect(done.stdout || done.stderr).toMatch(printed)
  })
})

/** Rejections that depend on the settings, or on the time. */
const dependent = { consentsMissing: 'consents_missing', ageRestricted: 'age_restriction' }

it.skipIf(!hasBrowser)(
  'a test has the interpretation and the time under which the console got the response',
  async () => {
    const tenant = await createTenant({ frozenAt: '2001-05-06T07:08:09Z' })
    await tenant.update({ settings: { semantic_refusals: 'rejected_200' } })
    const { page, show } = await openPage()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    for (const [lead, reason] of Object.entries(dependent)) {
      await show(`${tenant.name}/submit?lead=${lead}-${reason}`)
      await send(page)
      await page.getByRole('button', { name: 'vitest test', exact: true }).click()
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      const code = await page.evaluate(() => navigator.clipboard.readText())
      expect(code).toContain(`"rejection_reason": "${reason}"`)
      await runTest(reason, code)
    }
  },
)

/** Changes of an account that decide on a lead which a new tenant distributes or rejects otherwise. */
const changedAccounts: readonly {
  readonly name: string
  readonly change: (account: Tenant['account']) => Parameters<Tenant['update']>[0]
  readonly outcome: Readonly<Record<string, string>>
}[] = [
  {
    name: 'changed criteria',
    change: ({ products: [product] }) => ({
      products: [{ product_id: product?.product_id ?? '', criteria: { loan_amount: { min: 50_000, max: 75_000 } } }],
    }),
    outcome: { status: 'rejected', rejection_reason: 'eligibility_failed' },
  },
  {
    name: 'removed advertisers',
    change: ({ advertisers }) => ({ remove: advertisers.map(({ advertiser_id }) => advertiser_id) }),
    outcome: { status: 'new' },
  },
  {
    name: 'an added product and advertiser',
    change: ({ products, advertisers }) => ({
      remove: [
        ...products.map(({ product_id }) => product_id),
        ...advertisers.map(({ advertiser_id }) => advertiser_id),
      ],
      products: [{ product_id: '40000000-0000-4000-8000-000000000001', name: 'Car loan' }],
      advertisers: [
        {
          advertiser_id: '50000000-0000-4000-8000-000000000001',
          name: 'Banco Duna',
          criteria: { loan_amount: { min: 6_000, max: 7_000 } },
        },
      ],
    }),
    outcome: { status: 'new' },
  },
  {
    name: 'an entry in the blacklist',
    change: () => ({ blacklist: [{ email: 'listed@example.com' }] }),
    outcome: { status: 'rejected', rejection_reason: 'blacklisted' },
  },
  {
    name: 'changed settings',
    change: () => ({ settings: { gender: 'required', absent_fields: 'null' } }),
    outcome: { error: 'validation_error' },
  },
]

it.skipIf(!hasBrowser).each(changedAccounts)('a test has the account that decided: $name', async changed => {
  const { name, change, outcome } = changed
  const tenant = await createTenant()
  const distributed = createTestLeads(tenant.account).distributed
  const { products } = await tenant.update(change(tenant.account))
  const { page, show } = await openPage()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await show(`${tenant.name}/submit`)
  const { customer, ...lead } = distributed({
    product_id: products[0]?.product_id,
    customer: { contact: { email: { address: 'listed@example.com' } } },
    product_data: { loan_amount: 5000 },
  })
  const { gender: _, ...personal_data } = customer.personal_data
  const body = JSON.stringify({ ...lead, customer: { ...customer, personal_data } })
  await page.getByRole('textbox', { name: 'JSON' }).fill(body)
  await send(page)
  // The account of the decision, not the one at the time of copying.
  await tenant.reset()
  await page.getByRole('button', { name: 'vitest test', exact: true }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  const code = await page.evaluate(() => navigator.clipboard.readText())
  for (const each of Object.values(outcome)) expect(code).toContain(JSON.stringify(each))
  await runTest(name, code)
})

it.skipIf(!hasBrowser)(
  'a test is not offered for a response that a fault or another lead caused, which its own tenant would not give',
  async () => {
    const tenant = await createTenant()
    const { page, show } = await openPage()
    const [request] = requestsOf(createTestLeads(tenant.account).distributed())
    const test = (is: string) => page.getByRole('button', { name: 'vitest test' }).and(page.locator(is)).waitFor()
    await editSent(page, tenant, show, { headers: request?.headers ?? {}, body: request?.body ?? '' })
    await page.locator('.trace').getByText('Rejected', { exact: true }).first().waitFor()
    await test(':disabled')
    await send(page)
    await test(':disabled')
    // The second submission is rejected because of the first, in the test too.
    await page.getByRole('button', { name: 'Send the same lead again' }).click()
    await test(':enabled')

    await show(`${tenant.name}/submit?lead=distributed-distributed`)
    await test(':enabled')
    await tenant.faults.add({ match: { operation: 'submitLead' }, effect: { status: 503 }, times: 1 })
    await send(page)
    await page.getByText('Service unavailable').first().waitFor()
    await test(':disabled')
  },
)

/** A gap of each kind, and each that needs code of its own. */
const gaps = [
  'Outcome new',
  'Reason customer_already_exists',
  'Reason consents_missing',
  'Error malformed_json',
  'Error unauthorized',
  'Error not_found',
  'Error method_not_allowed',
  'Error invalid_product',
  'Event registration',
  'Event converted',
  'Callback delivered',
  'Callback failed',
  'Callback retried',
]

it.skipIf(!hasBrowser)('a gap of the coverage is copied as a test that sees it', async () => {
  const tenant = await createTenant()
  const { page, show } = await openPage()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await show(`${tenant.name}/coverage`)
  for (const gap of gaps) {
    const button = page.locator('.coverage-map > li').filter({ hasText: gap }).getByRole('button')
    await button.click()
    await button.getByText('Copied').waitFor()
    // The test expects the item in the coverage of its own tenant.
    await runTest(gap, await page.evaluate(() => navigator.clipboard.readText()))
  }
  await submitLead(tenant.account, createTestLeads(tenant.account).new())
  await page.locator('.coverage-map > li').filter({ hasText: 'Outcome new' }).getByText('1×').waitFor()
  expect(await page.getByRole('button', { name: 'Copy as test new' }).count()).toBe(0)
})

it.skipIf(!hasBrowser)('a copied vitest test compiles under strict TypeScript', () => {
  expect(testFiles.length).toBe(
    situations.length + Object.keys(dependent).length + changedAccounts.length + gaps.length,
  )
  expect(typeFaults(testFiles)).toEqual([])
})
