import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { describeJourneys } from './walk.fixture.ts'

/** Returns the selected text in the JSON editor, or the focused input's field. */
function focusedField(page: Page) {
  return page.evaluate(() => {
    const element = document.activeElement
    // Chromium exposes a shadow root's selection there.
    const root = element?.shadowRoot as (ShadowRoot & { getSelection(): Selection }) | null | undefined
    return root ? String(root.getSelection()) : element?.getAttribute('data-field')
  })
}

describeJourneys({
  async 'a first lead, the reason for its outcome, and its callback'({ page, keyboard, stop }) {
    expect(new URL(page.url()).pathname).toBe('/_sandbox/')
    await stop('Begin here')
    await keyboard.press('link', 'Submit a first lead')
    await page.getByRole('cell', { name: 'Distribution' }).waitFor()
    await stop('Submit')
    await keyboard.press('button', 'Send the lead')
    await keyboard.press('link', 'Open the lead')

    await page.getByText('Passed the checks').waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('content')
    await stop(/^lead-.*@example\.com$/)
    await keyboard.press('button', 'Loan issued')
    await page.getByText('The advertiser reported approved').waitFor()
    await page.getByText('Callback for loan_issued delivered').waitFor()
    await keyboard.press('link', 'Submit a lead')
    await stop('POST /api/v1/lead')
    await page.goBack()
    await page.getByText('Callback for loan_issued delivered').waitFor()
    await stop()
  },

  async "why an application's lead was rejected"({ page, keyboard, leads, submit, stop }) {
    await submit(leads.distributed())
    await submit(leads.ageRestricted())
    await keyboard.goTo('Leads')
    await keyboard.press('button', 'Rejected')
    await page.getByRole('link', { name: 'lead-1-' }).waitFor({ state: 'detached' })
    await stop('Leads')
    await keyboard.press('link', /@example\.com$/)
    await page.getByText('Rejected: age restriction').waitFor()
    await page.getByText(/^Age: \d+ \(threshold:/).waitFor()
    await stop()
  },

  async 'a rejected lead on demand'({ page, keyboard, stop }) {
    await keyboard.press('link', 'Submit a first lead')
    await keyboard.choose('Test lead', 'Income insufficient')
    await page.getByRole('row', { name: /^Income 599.*600 Rejected/ }).waitFor()
    await stop('Submit')
    await keyboard.press('button', 'Send the lead')
    await stop()
    await keyboard.press('link', 'Open the lead')
    await page.getByText('Rejected: income insufficient').waitFor()
    await page.getByText(/599 \(threshold: 600\)/).waitFor()
    await stop()
  },

  async 'a lead with errors in its fields, corrected'({ page, keyboard, stop }) {
    await keyboard.goTo('Submit')
    await keyboard.type('Loan amount', '1')
    await keyboard.type('E-mail address', 'ana@')
    await page.getByRole('button', { name: 'customer.contact.email.address' }).waitFor()
    await stop()
    await keyboard.press('button', 'product_data.loan_amount')
    expect(await focusedField(page)).toContain('loan_amount')
    await stop()

    await keyboard.type('Loan amount', '5000')
    await keyboard.type('E-mail address', 'ana@example.com')
    await page.getByRole('button', { name: 'product_data.loan_amount' }).waitFor({ state: 'detached' })
    await keyboard.press('button', 'Send the lead')
    await keyboard.press('link', 'Open the lead')
    await page.getByText('Passed the checks').waitFor()
    await stop('ana@example.com')
  },

  async 'a decision that goes into a bug report'({ page, keyboard, leads, submit, stop }) {
    const { lead_id } = await submit(leads.distributed())
    await keyboard.goTo('Leads')
    await keyboard.press('link', /@/)
    const downloading = page.waitForEvent('download')
    await keyboard.press('button', 'Download a repro file')
    expect((await downloading).suggestedFilename()).toBe(`repro-${lead_id}.json`)
    await stop()
  },

  async 'a callback that arrives and is resent'({ page, keyboard, demo, leads, submit, stop }) {
    const { lead_id } = await submit(leads.distributed())
    await keyboard.goTo('Callbacks')
    await stop('No callbacks')
    await demo.leads.trigger(lead_id, { event: 'registration' })
    await page.getByRole('cell', { name: 'Delivered' }).waitFor()
    await stop()
    await keyboard.press('link', 'Registration')
    await stop('Callback for registration')
    await keyboard.press('button', 'Send again')
    const opened = page.getByRole('region', { name: 'Callback for registration' })
    await expect.poll(() => opened.locator('.attempts > li').count()).toBe(2)
    await stop()
    await page.keyboard.press('Escape')
    await opened.waitFor({ state: 'detached' })
    await stop()
    expect((await demo.inbox.show()).callbacks.map(({ event }) => event)).toEqual(['registration', 'registration'])

    await demo.inbox.change({ status: 503 })
    await demo.leads.trigger(lead_id, { event: 'approved' })
    await demo.clock.advance({ by: 'P1D' })
    await demo.inbox.change({ status: 200 })
    // While one of its rows has the focus, the list holds new ones back.
    await keyboard.goTo('Callbacks')
    await page.getByRole('cell', { name: 'Failed' }).waitFor()
    await keyboard.press('button', 'Resend failed callbacks')
    await keyboard.type('Failed since', 'yesterday')
    await keyboard.press('button', 'Send again')
    await page.getByRole('alert').waitFor()
    await stop('Resend failed callbacks')
    await keyboard.type('Failed since', 'PT24H')
    await keyboard.press('button', 'Send again')
    await page.getByText('1 failed callback queued again.').waitFor()
    await page.getByRole('cell', { name: 'Failed' }).waitFor({ state: 'detached' })
  },

  async 'a postback URL that does not work, diagnosed'({ page, keyboard, demo, leads, submit, stop }) {
    const { lead_id } = await submit(leads.distributed())
    const { deliveries } = await demo.leads.show(lead_id)
    const url =
      deliveries.map(({ postback_url }) => postback_url).find(Boolean) ?? expect.fail('No advertiser took it.')
    await keyboard.goTo('Diagnose a postback')
    await stop()
    await keyboard.type('URL', `${url.replace(/token=\w{4}/, 'token=0000')}&event=approved`)
    await keyboard.press('button', 'Diagnose')
    await page.getByText('Wrong').first().waitFor()
    await stop('Findings')
    await keyboard.type('URL', `${url}&event=approved`)
    await keyboard.press('button', 'Diagnose')
    await page.getByText('Wrong').first().waitFor({ state: 'detached' })
    await stop()
  },
})
