import type { OperationName } from '@lead-distribution/contract/shapes'
import type { Call } from '@lead-distribution/http'
import { scenarioOfEmail } from '@lead-distribution/test-leads/scenarios'
import { scenarioHeader } from '../surface.ts'
import type { Tenant } from '../tenants/tenant.ts'
import { scenarioOfLead } from './scenario-of-lead.ts'

/** The scenario that a call names, for the faults that ask for one: of a submission its own, of a report its lead's. */
export async function scenarioOfCall(
  { operation, headers, params, body }: Call<OperationName>,
  { storage }: Pick<Tenant, 'storage'>,
): Promise<string | undefined> {
  if (operation === 'submitLead') return headers[scenarioHeader] ?? scenarioOfEmail(emailIn(body))
  const lead = await storage.transact(tables => tables.findLead((params.lead_id ?? '').toLowerCase()))
  return lead && scenarioOfLead(lead)
}

/** The address in a body of any shape; empty where there is none. */
function emailIn(body: unknown): string {
  const address = ['customer', 'contact', 'email', 'address'].reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined,
    body,
  )
  return typeof address === 'string' ? address : ''
}
