import { createLeadSandbox, type LeadSandbox, type Tenant } from '@lead-distribution/msw'
import { leadSandboxFixtures, routeLeadSandbox } from '@lead-distribution/msw/playwright'
import { mergeTests, type Page, test } from '@playwright/test'
import { expect, it } from 'vitest'

/** Compiled, never run: misuse that must not compile. */
async function mustNotCompile({ leads, faults, testLeads, handlers }: LeadSandbox) {
  // @ts-expect-error misspelled: base_url is the wire's spelling, baseUrl the option's
  await createLeadSandbox({ base_url: 'https://sandbox.leads.test/api/v1' })
  // @ts-expect-error `await` is missing
  createLeadSandbox().handlers
  // @ts-expect-error unknown effect
  await faults.add({ match: { operation: 'submitLead' }, effect: { explode: true } })
  // @ts-expect-error unknown scenario
  testLeads.scenario('too_poor')
  const found = await leads.list()
  // @ts-expect-error there may be no lead, or another status
  const status: 'distributed' = found.leads[0].status
  return [handlers, status]
}

/** Compiled, never run: the control plane's shapes are the types of each result. */
async function mustCompile({ clock, leads, callbacks, testLeads }: LeadSandbox, lead_id: string) {
  const { executed, now }: { executed: number; now: string } = await clock.advance({ by: 'PT24H' })
  const { would, trace } = await leads.explain(testLeads.new())
  const [callback] = (await callbacks.list({ leadId: lead_id })).callbacks
  const state: 'pending' | 'delivered' | 'failed' | undefined = callback?.state
  return [executed, now, would.status, trace, state]
}

/** Compiled, never run: the fixtures fit Playwright's own types. */
function fixturesMustCompile(page: Page, sandbox: LeadSandbox) {
  const withSandbox = test.extend(leadSandboxFixtures({ profile: 'formal' }))
  withSandbox('needs no type argument', async ({ page, leadSandbox, leadSandboxOfWorker }) => {
    const tenant: Tenant = leadSandbox
    const ofWorker: LeadSandbox = leadSandboxOfWorker
    await page.goto(tenant.account.base_url)
    // @ts-expect-error a tenant has no handlers: they belong to the worker's sandbox
    return [tenant.handlers, ofWorker.handlers]
  })
  // @ts-expect-error unknown fixture
  withSandbox('misspelt', ({ leadSandboxes }) => leadSandboxes)
  // On top of a project's own fixtures, and next to them.
  const own = test.extend<{ customer: string }>({ customer: 'ana@example.com' })
  own.extend(leadSandboxFixtures())('both', ({ customer, leadSandbox }) => leadSandbox.leads.list({ email: customer }))
  mergeTests(own, withSandbox)('both', ({ customer, leadSandbox }) => leadSandbox.leads.list({ email: customer }))
  return routeLeadSandbox(page, sandbox)
}

/** Compiled, never run: misuse that must not compile. */
function fixturesMustNotCompile(sandbox: LeadSandbox) {
  // @ts-expect-error each test has its own tenant, so there is no fixed name
  leadSandboxFixtures({ name: 'mine' })
  // @ts-expect-error no page
  return routeLeadSandbox(sandbox)
}

it('rejects misuse at compile time', () =>
  expect([mustNotCompile, mustCompile, fixturesMustCompile, fixturesMustNotCompile]).toHaveLength(4))
