import type { Browser, Page } from 'playwright-core'
import { openPage } from '../browser/open-browser.ts'
import { customer } from './example-loop.ts'

/** What a customer fills in, by the label of the field. */
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
