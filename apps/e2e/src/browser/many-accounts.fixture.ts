import { leadSandboxFixtures } from '@lead-distribution/msw/playwright'
import { test as base, expect } from '@playwright/test'

const test = base.extend(leadSandboxFixtures({ settings: { duplicate_window: 'PT0S' } }))

// All tests use the same customer, and leave state behind that another would trip over.
for (let index = 1; index <= 12; index++) {
  test(`number ${index} sees no state of the others`, async ({ page, leadSandbox }) => {
    const { account, testLeads } = leadSandbox
    const { leads, callbacks } = { ...(await leadSandbox.leads.list()), ...(await leadSandbox.inbox.show()) }
    expect([leads, callbacks, (await leadSandbox.faults.list()).faults]).toEqual([[], [], []])
    expect((await leadSandbox.clock.show()).mode).toBe('running')

    await page.goto(account.base_url)
    const body = testLeads.distributed({ customer: { contact: { email: { address: 'ana@example.com' } } } })
    const headers = { apikey: account.publisher.api_key, 'content-type': 'application/json' }
    const { lead_id, status } = await page.evaluate(async ([url, init]) => (await fetch(url, init)).json(), [
      `${account.base_url}/lead`,
      { method: 'POST', headers, body: JSON.stringify(body) },
    ] as const)
    expect(status).toBe('distributed')
    await leadSandbox.leads.trigger(lead_id, { event: 'approved' })
    await leadSandbox.callbacks.wait({ leadId: lead_id })
    expect((await leadSandbox.inbox.show()).callbacks).toHaveLength(1)
    await leadSandbox.clock.freeze()
    await leadSandbox.faults.add({ match: { operation: 'submitLead' }, effect: { status: 500 } })
  })
}
