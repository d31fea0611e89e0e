import { createTestLeads, type Reached, requestsOf, type TestLeadEntry } from '@lead-distribution/test-leads'
import type { Tenant } from './tenant.ts'

/** Builds a test lead for the account as it is, submits it, and answers what it reached, as the catalogue writes it. */
export async function reachedBy(tenant: Tenant, name: TestLeadEntry['name']): Promise<Partial<Reached>> {
  let reached: Partial<Reached> = {}
  for (const { headers, body } of requestsOf(createTestLeads(tenant.account)[name]())) {
    const { status: http, json } = await tenant.submitBody(body, headers)
    const { status, rejection_reason, error } = json
    reached = {
      http,
      ...(status && { status }),
      ...(rejection_reason && { rejection_reason }),
      ...(error && { error }),
    }
  }
  return reached
}
