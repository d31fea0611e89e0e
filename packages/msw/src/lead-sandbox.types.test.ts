import { createLeadSandbox, type LeadSandbox, type Tenant } from '@lead-distribution/msw'
import { leadSandboxFixtures, routeLeadSandbox } from '@lead-distribution/msw/playwright'
import { mergeTests, type Page, test } from '@playwright/test'
import { expect, it } from 'vitest'

/** Compiled, never run: what must not compile. */
async function mustNotCompile({ leads, faults, testLeads, handlers }: LeadSandbox) {
  // @ts-expect-error misspelt: base_url is the wire's spelling, baseUrl the option's
  await createLeadSandbox({ base_url: 'https://sandbox.leads.test/api/v1' })
  // @ts-expect-error a sandbox that is still opening has no handlers
  createLeadSandbox().handlers
  // @ts-expect-error no such effect
  await faults.add({ match: { operation: 'submitLead' }, effect: { explode: true } })
  // @ts-expect-error no such scenario
  testLeads.scenario('too_poor')
  const found = await leads.list()
  // @ts-expect-error there may be no lead, and it may be another status
  const status: 'distributed' = found.leads[0].status
  return [handlers, status]
}

/** Compiled, never run: what each call answers is typed by the control plane's own shapes. */
async function mustCompile({ clock, leads, callbacks, testLeads }: LeadSandbox, lead_id: string) {
  const { executed, now }: { executed: number; now: string } = await clock.advance({ by: 'PT24H' })
  const { would, trace } = await leads.explain(testLeads.new())
  const [callback] = (await callbacks.list({ leadId: lead_id })).callbacks
  const state: 'pending' | 'delivered' | 'failed' | undefined = callback?.state
  return [executed, now, would.status, trace, state]
}

/** Compiled, never run: what Playwright's own types make of the fixtures. */
function fixturesMustCompile(page: Page, sandbox: LeadSandbox) {
  const withSandbox = test.extend(leadSandboxFixtures({ profile: 'formal' }))
  withSandbox('needs no type argument', async ({ page, leadSandbox, leadSandboxOfWorker }) => {
    const tenant: Tenant = leadSandbox
    const ofWorker: LeadSandbox = leadSandboxOfWorker
    await page.goto(tenant.account.base_url)
    // @ts-expect-error an account has no handlers: those are the worker's
    return [tenant.handlers, ofWorker.handlers]
  })
  // @ts-expect-error no such fixture
  withSandbox('misspelt', ({ leadSandboxes }) => leadSandboxes)
  // Above fixtures of the project's own, and beside them.
  const own = test.extend<{ customer: string }>({ customer: 'ana@example.com' })
  own.extend(leadSandboxFixtures())('both', ({ customer, leadSandbox }) => leadSandbox.leads.list({ email: customer }))
  mergeTests(own, withSandbox)('both', ({ customer, leadSandbox }) => leadSandbox.leads.list({ email: customer }))
  return routeLeadSandbox(page, sandbox)
}

/** Compiled, never run: what must not compile. */
function fixturesMustNotCompile(sandbox: LeadSandbox) {
  // @ts-expect-error each test has its own tenant, which has no fixed name
  leadSandboxFixtures({ name: 'mine' })
  // @ts-expect-error no page
  return routeLeadSandbox(sandbox)
}

it('holds its types by what must not compile', () =>
  expect([mustNotCompile, mustCompile, fixturesMustCompile, fixturesMustNotCompile]).toHaveLength(4))
