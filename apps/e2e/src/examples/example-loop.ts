import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'
import { openPage } from '../browser/open-browser.ts'
import { type RunningExample, runExample } from './run-example.ts'

/** A customer whom no console may show. */
export const customer = {
  first_name: 'Planted-Ximena',
  last_name: 'O"Planted <b>',
  email: 'planted.customer@example.com',
  phone: '600111222',
  birthday: '1990-04-17',
}

/** A sandbox with a tenant, a publisher's site and an advertiser's back end, each example in its own process. */
export async function openLoop(creation: object = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'examples-'))
  const adapter = await openExpressAdapter()
  const tenant = await createTenant(adapter, creation)
  const secret = randomBytes(32).toString('base64url')
  const deliveryToken = randomBytes(16).toString('hex')
  const { base_url, publisher: account } = tenant.account
  const running: RunningExample[] = []

  async function start(name: 'publisher' | 'advertiser', env: Record<string, string>) {
    const example = await runExample(name, { LEAD_BASE_URL: base_url, ...env })
    running.push(example)
    return example
  }

  async function startPublisher(more: Record<string, string> = {}) {
    const site = await start('publisher', {
      DATA: join(folder, 'applications.db'),
      LEAD_PUBLISHER_API_KEY: account.api_key,
      PUBLISHER_ID: account.publisher_id,
      PRODUCT_ID: tenant.product().product_id,
      CALLBACK_SECRETS: secret,
      ...more,
    })
    await tenant.change({ callback_url: `${site.urls.site}/callbacks/${secret}` })
    return site
  }

  const startAdvertiser = (more: Record<string, string> = {}) =>
    start('advertiser', {
      DATA: join(folder, 'loans.db'),
      LEAD_ADVERTISER_API_KEY: tenant.advertiserKey(),
      DELIVERY_TOKEN: deliveryToken,
      ...more,
    })

  return {
    adapter,
    tenant,
    deliveryToken,
    startPublisher,
    startAdvertiser,
    /** The only lead of the tenant, as the control plane shows it. */
    async onlyLead() {
      const { json } = await tenant.control('GET', '/leads')
      expect(json.leads).toHaveLength(1)
      return tenant.lead(json.leads[0].lead_id)
    },
    /** The whole postback URL of a lead. */
    postbackUrl: async (lead: string) => `${adapter.url}${await tenant.postback(lead)}`,
    fault: (operation: string, effect: object, times = 1) => setFault(tenant, operation, effect, times),
    /** Ends everything, and checks that no console shows a secret or the customer. */
    async close() {
      await Promise.all(running.map(example => example.end('SIGKILL')))
      const tokens = await tokensOf(tenant)
      await adapter.close()
      rmSync(folder, { recursive: true, force: true })
      const secrets = [account.api_key, tenant.advertiserKey(), secret, deliveryToken, ...tokens]
      const printed = running.map(example => example.said()).join('')
      expect(printed).toContain('site: http://')
      expect([...Object.values(customer), ...secrets].filter(text => printed.includes(text))).toEqual([])
    },
  }
}

/** Injects a fault into the sandbox. The function that it returns waits until the fault has acted. */
async function setFault(
  tenant: Tenant,
  operation: string,
  effect: object,
  times: number,
): Promise<() => Promise<void>> {
  const { status, json } = await tenant.control('POST', '/faults', { body: { match: { operation }, effect, times } })
  expect(status).toBe(201)
  const acted = async (): Promise<number> => {
    const { faults } = (await tenant.control('GET', '/faults')).json
    return faults.find(({ fault_id }: { fault_id: string }) => fault_id === json.fault_id).acted
  }
  return () => expect.poll(acted).toBe(times)
}

/** The tokens of every postback URL of a tenant. */
async function tokensOf(tenant: Tenant): Promise<string[]> {
  const leads: { lead_id: string }[] = (await tenant.control('GET', '/leads')).json.leads
  const tokens = await Promise.all(
    leads.map(async ({ lead_id }) => {
      const { deliveries } = await tenant.lead(lead_id)
      const urls: string[] = deliveries.flatMap(({ postback_url }: { postback_url?: string }) => postback_url ?? [])
      return urls.map(url => new URL(url).searchParams.get('token') ?? '')
    }),
  )
  return tokens.flat().filter(token => token !== '')
}

/** An open loop. */
export type Loop = Awaited<ReturnType<typeof openLoop>>

/** The customer's entries, by the label of the field. */
const filled = {
  Amount: '5000',
  'Term (months)': '24',
  'First name': customer.first_name,
  'Last name': customer.last_name,
  'E-mail': customer.email,
  Phone: customer.phone,
  Birthday: customer.birthday,
  'Net income': '1800',
}

/** Opens the form as an advertisement leads to it. */
export async function arrive(browser: Browser, site: string): Promise<Page> {
  const { page } = await openPage(browser, site)
  await page.goto(`${site}/?utm_campaign=spring&gclid=click-4711&subid=blog`)
  return page
}

/** Fills the form in; `changes` says what is not as usual, by the label. */
export async function fillIn(page: Page, changes: Partial<Record<keyof typeof filled, string>> = {}): Promise<void> {
  for (const [label, text] of Object.entries({ ...filled, ...changes })) await page.getByLabel(label).fill(text)
  await page.getByLabel('Purpose').selectOption('home_improvement')
  await page.getByLabel('Gender').selectOption('female')
  await page.getByLabel('Occupation').selectOption('indefinite_employee')
  await page.getByLabel('terms of use').check()
  await page.getByLabel('privacy policy').check()
}

/** Presses the button of the form. */
export async function apply(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Apply' }).click()
}

/** Opens the form, fills it in and sends it. */
export async function applyFor(browser: Browser, site: string, changes: Parameters<typeof fillIn>[1] = {}) {
  const page = await arrive(browser, site)
  await fillIn(page, changes)
  await apply(page)
  return page
}

/** The form as a browser sends it, filled in. */
export function formBody(application: string, landing: string): URLSearchParams {
  return new URLSearchParams({
    ...customer,
    application,
    landing,
    loan_amount: '5000',
    loan_term_months: '24',
    loan_purpose: 'home_improvement',
    gender: 'female',
    occupation: 'indefinite_employee',
    monthly_income: '1800',
    terms: 'accepted',
    privacy_policy: 'accepted',
  })
}
