import { expect, it, onTestFinished } from 'vitest'
import { hasBrowser, openPage, sharedBrowser } from '../browser/open-browser.ts'
import { customer, openLoop } from './open-loop.ts'

it.skipIf(!hasBrowser)('goes from the form to the advertiser and back to the publisher', async () => {
  const loop = await openLoop()
  onTestFinished(() => loop.close())
  const [site, backEnd] = [await loop.startPublisher(), await loop.startAdvertiser()]
  const { page } = await openPage(await sharedBrowser(), site)
  onTestFinished(() => page.close())

  await page.goto(`${site}/apply?utm_campaign=spring&gclid=click-4711&subid=blog`)
  const { first_name, last_name, email } = customer
  for (const [label, text] of Object.entries({
    Amount: '5000',
    'Term in months': '24',
    'First name': first_name,
    'Last name': last_name,
    Email: email,
    'Net income': '1800',
  }))
    await page.getByLabel(label).fill(text)
  await page.getByLabel('Purpose').selectOption('wedding')
  await page.getByLabel('Gender').selectOption('female')
  await page.getByLabel('Occupation').selectOption('indefinite_employee')
  await page.getByLabel('terms of use').check()
  await page.getByLabel('privacy policy').check()
  await page.getByRole('button', { name: 'Apply' }).dblclick()
  await page.waitForURL(`${loop.adapter.url}/_sandbox/advertiser/**`)

  const lead = await loop.onlyLead()
  expect(lead).toMatchObject({ status: 'distributed', redirect_url: page.url() })
  expect(lead.submission).toMatchObject({
    customer: {
      personal_data: { first_name, last_name, gender: 'female' },
      contact: { email: { address: email } },
      profile: { occupation: 'indefinite_employee', monthly_income: 1800 },
    },
    product_data: { loan_amount: 5000, loan_purpose: 'wedding', loan_term_months: 24 },
    consents: {
      entries: [
        { type: 'terms', accepted: true, version: '2026-01', document_url: `${site}/documents/terms/2026-01` },
        { type: 'privacy_policy', accepted: true, version: '2026-01' },
        { type: 'marketing', accepted: false, accepted_at: null },
      ],
      metadata: { ip_address: '127.0.0.1', user_agent: expect.stringContaining('Mozilla') },
    },
    tracking: { click_id: 'click-4711', sub_id: 'blog', campaign_id: 'spring', source: `${site}/apply` },
  })

  const { lead_id } = lead
  const reported = ['registration', 'approved', 'completed']
  for (const event of reported)
    await fetch(`${backEnd}/staff/report`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ lead_id, event }),
    })
  const received = async () => (await fetch(`${site}/staff/leads/${lead_id}/events`)).text()
  await expect.poll(received).toBe(reported.join('\n'))
})
