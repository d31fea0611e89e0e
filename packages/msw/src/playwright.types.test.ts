import type { LeadSandbox, LeadTenant } from '@lead-distribution/msw'
import { leadSandboxFixtures, routeLeadSandbox } from '@lead-distribution/msw/playwright'
import { mergeTests, type Page, test } from '@playwright/test'
import { expect, it } from 'vitest'

/** Compiled, never run: what Playwright's own types make of the fixtures. */
function mustCompile(page: Page, sandbox: LeadSandbox) {
  const withSandbox = test.extend(leadSandboxFixtures({ profile: 'formal' }))
  withSandbox('needs no type argument', async ({ page, leadSandbox, leadSandboxOfWorker }) => {
    const tenant: LeadTenant = leadSandbox
    const ofWorker: LeadSandbox = leadSandboxOfWorker
    await page.goto(tenant.account.base_url)
    // @ts-expect-error an account has no handlers: those are the worker's
    return [tenant.handlers, ofWorker.handlers]
  })
  // @ts-expect-error no such fixture
  withSandbox('misspelt', ({ leadSandboxes }) => leadSandboxes)
  // Above fixtures of the project's own, and beside them.
  const own = test.extend<{ customer: string }>({ customer: 'ana@example.com' })
  own.extend(leadSandboxFixtures())('both', ({ customer, leadSandbox }) =>
    leadSandbox.control.listLeads({ email: customer }),
  )
  mergeTests(own, withSandbox)('both', ({ customer, leadSandbox }) =>
    leadSandbox.control.listLeads({ email: customer }),
  )
  return routeLeadSandbox(page, sandbox)
}

/** Compiled, never run: what must not compile. */
function mustNotCompile(sandbox: LeadSandbox) {
  // @ts-expect-error each test has an account of its own: it has no fixed name
  leadSandboxFixtures({ name: 'mine' })
  // @ts-expect-error no page
  return routeLeadSandbox(sandbox)
}

it('holds its types by what must not compile', () => expect([mustCompile, mustNotCompile]).toHaveLength(2))
