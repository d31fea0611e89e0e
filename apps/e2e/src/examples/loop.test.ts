import type { Browser } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasBrowser, sharedBrowser } from '../browser/open-browser.ts'
import { apply, applyFor, arrive, customer, fillIn, type Loop, openLoop } from './example-loop.ts'
import type { RunningExample } from './run-example.ts'

let browser: Browser
let loop: Loop
let site: string
let publisher: RunningExample
beforeAll(async () => {
  if (hasBrowser) browser = await sharedBrowser()
})
beforeEach(async () => {
  loop = await openLoop()
  publisher = await loop.startPublisher()
  site = publisher.urls.site ?? ''
})
afterEach(() => loop.close())

describe.skipIf(!hasBrowser)('the loop of the two examples, in a browser', () => {
  it('goes from the form to the advertiser, and from each button of the advertiser back to the customer', async () => {
    const advertiser = await loop.startAdvertiser()
    const page = await arrive(browser, site)
    const application = await page.locator('input[name=application]').inputValue()
    await fillIn(page)
    await apply(page)
    await page.waitForURL(`${loop.adapter.url}/_sandbox/advertiser/**`)

    const lead = await loop.onlyLead()
    expect(lead).toMatchObject({ status: 'distributed', redirect_url: page.url() })
    expect(lead.submission).toMatchObject({
      customer: {
        personal_data: { first_name: customer.first_name, last_name: customer.last_name, birthday: customer.birthday },
        contact: { email: { address: customer.email }, phone: { number: customer.phone } },
        profile: { occupation: 'indefinite_employee', monthly_income: 1800 },
      },
      consents: {
        entries: [
          { type: 'terms', accepted: true, version: '2026-01', document_url: `${site}/documents/terms-2026-01` },
          { type: 'privacy_policy', accepted: true, version: '2026-01' },
          { type: 'marketing', accepted: false, accepted_at: null },
        ],
        metadata: {
          ip_address: '127.0.0.1',
          user_agent: expect.stringContaining('Mozilla'),
          collected_at: expect.any(String),
        },
      },
      tracking: { click_id: 'click-4711', sub_id: 'blog', campaign_id: 'spring', source: `${site}/` },
    })

    const staff = await browser.newPage()
    await staff.goto(advertiser.urls.console ?? '')
    const postback = await loop.postbackUrl(lead.lead_id)
    for (const url of [postback.replace('/status', '/state'), postback]) {
      await staff.getByLabel('Its postback URL').fill(url)
      await staff.getByRole('button', { name: 'Take over' }).click()
      if (url !== postback) await staff.locator('.issue').first().waitFor()
    }
    await staff.getByRole('cell', { name: 'received' }).waitFor()

    await page.goto(`${advertiser.urls.site}/welcome/${lead.lead_id}`)
    await page.getByRole('button', { name: 'Create an account' }).click()
    await page.getByText('You have an account').waitFor()
    await staff.reload()
    for (const [button, event] of [
      ['Issue loan', 'approved'],
      ['Repaid', 'completed'],
    ] as const) {
      // The button loads the page again, and a reload before that has begun is an error of the browser.
      await Promise.all([staff.waitForEvent('load'), staff.getByRole('button', { name: button }).click()])
      await expect.poll(() => recorded(lead.lead_id)).toContain(event)
      await staff.reload()
      await staff.getByText(`${event}: received`).waitFor()
    }
    expect(await recorded(lead.lead_id)).toEqual(['registration', 'approved', 'completed'])

    await loop.tenant.settledCallbacks(lead.lead_id)
    await page.goto(`${site}/application/${application}`)
    expect(await page.locator('ol li').allTextContents()).toEqual([
      'You have registered with the lender.',
      'Your loan is approved.',
      'Your loan is paid back.',
    ])
    await staff.close()
    await page.close()
    expect(await publisher.end()).toEqual([0, null])
    expect(await advertiser.end()).toEqual([0, null])
  })

  it('keeps a customer that no advertiser took yet, and redirects nowhere', async () => {
    const page = await applyFor(browser, site, { Amount: '60000' })
    await page.getByRole('heading', { name: 'We have your application' }).waitFor()
    expect(page.url()).toMatch(`${site}/application/`)
    expect((await loop.onlyLead()).status).toBe('new')
    await page.close()
  })

  it('answers a refused customer kindly, and without a reason', async () => {
    const page = await applyFor(browser, site, { 'Net income': '400' })
    await page.getByRole('heading', { name: 'We cannot offer you a loan' }).waitFor()
    expect(await loop.onlyLead()).toMatchObject({ status: 'rejected', rejection_reason: 'income_insufficient' })
    expect(await page.locator('main').textContent()).not.toMatch(/income|reason|insufficient/i)
    await page.close()
  })

  it('shows each issue at its field, keeps what was filled in, and takes the form once it is right', async () => {
    const page = await arrive(browser, site)
    await fillIn(page, { Amount: '499', 'E-mail': 'planted.customer@', 'First name': '' })
    await page.getByLabel('privacy policy').uncheck()
    await apply(page)
    await page.getByRole('alert').waitFor()
    expect(await page.locator('.issue').allTextContents()).toEqual([
      'Amount must be at least 500.',
      'First name is required.',
      'E-mail must be an e-mail address, without spaces around it.',
      'The privacy policy must be accepted.',
    ])
    expect(await page.getByLabel('Amount').getAttribute('aria-describedby')).toBe('loan_amount-issue')
    expect(await page.getByLabel('Last name').inputValue()).toBe(customer.last_name)
    expect(await page.getByLabel('terms of use').isChecked()).toBe(true)
    expect((await loop.tenant.control('GET', '/leads')).json.leads).toEqual([])

    await fillIn(page, { Amount: '500' })
    await apply(page)
    await page.waitForURL(`${loop.adapter.url}/_sandbox/advertiser/**`)
    expect((await loop.onlyLead()).submission.tracking.click_id).toBe('click-4711')
    await page.close()
  })

  it('sends a form that is sent twice at once, and sent again later, as one lead', async () => {
    await loop.fault('submitLead', { latency_ms: 300 })
    const page = await arrive(browser, site)
    await fillIn(page)
    await page.getByRole('button', { name: 'Apply' }).dblclick()
    await page.waitForURL(`${loop.adapter.url}/_sandbox/advertiser/**`)
    const first = page.url()
    await page.reload()
    await page.goBack()
    await apply(page)
    await page.waitForURL(first)
    expect((await loop.onlyLead()).status).toBe('distributed')
    expect((await loop.tenant.control('GET', '/requests')).json.requests).toHaveLength(1)
    await page.close()
  })
})

async function recorded(lead: string): Promise<string[]> {
  const { events }: { events: { event: string }[] } = await loop.tenant.lead(lead)
  return events.map(({ event }) => event)
}
