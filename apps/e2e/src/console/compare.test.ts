import { expect } from 'vitest'
import { describeJourneys } from './walk.fixture.ts'

describeJourneys({
  async 'two leads, one of them rejected, with the field that makes the difference'(walk) {
    const { page, keyboard, demo, leads, submit, stop } = walk
    const { lead_id } = await submit(leads.distributed())
    await submit(leads.ageRestricted())
    await demo.leads.trigger(lead_id, { event: 'approved' })
    await keyboard.goTo('Leads')
    await keyboard.goTo('Leads')
    await keyboard.press('button', 'Distributed')
    await page.getByRole('link', { name: 'lead-2-' }).waitFor({ state: 'detached' })
    await keyboard.press('link', /^lead-1-.*@example\.com$/)
    await keyboard.press('link', 'Compare with…')
    await page.getByText(/^Choose a lead to compare with lead-1-/).waitFor()
    await stop('Leads')
    await keyboard.press('link', /^lead-2-.*@example\.com$/)
    await page.getByText('customer.personal_data.birthday').waitFor()
    await stop('Compare two leads')

    const shown = (text: string) => page.getByText(text, { exact: true }).isVisible()
    expect(await page.getByRole('definition').filter({ hasText: 'Rejected · 17' }).textContent()).toContain(
      'min age 18',
    )
    expect([await shown('Loan issued'), await shown('Approved')]).toEqual([true, true])
    expect(await shown('product_data.loan_amount')).toBe(false)
    await keyboard.reach(page.locator('summary').nth(0))
    await page.keyboard.press('Enter')
    await expect.poll(() => shown('product_data.loan_amount')).toBe(true)
    await stop()

    const address = page.url()
    await keyboard.press('link', /^lead-2-.*@example\.com$/)
    await page.getByText('Rejected: age restriction').waitFor()
    await page.goBack()
    await page.getByText('customer.personal_data.birthday').waitFor()
    expect(page.url()).toBe(address)
  },

  async 'two requests, one of them with an error'({ page, keyboard, leads, submit, stop }) {
    await submit(leads.distributed())
    await submit(leads.distributed({ product_data: { loan_amount: -1 } }))
    await keyboard.goTo('Requests')
    await page.locator('tr.row').nth(1).waitFor()
    await keyboard.press('link', 'POST /lead')
    await keyboard.press('link', 'Compare with…')
    await page.getByText('Choose a request to compare with r2.').waitFor()
    await stop('Requests')
    await keyboard.press('button', '2xx')
    await page.locator('[data-entry="r2"]').waitFor({ state: 'detached' })
    await keyboard.press('link', 'POST /lead')
    await page.getByText('issues.0.field').waitFor()
    expect(page.url()).toMatch(/\/compare\/requests\/r2\/r1$/)
    await stop('Compare two requests')
  },
})
