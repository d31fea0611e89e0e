import type { TenantControl } from '@lead-distribution/control-client'
import { CommandError } from '../exit-codes.ts'

/** The lead that a person names: by its lead_id, or as the newest of a customer's address. */
export async function leadIdOf(tenant: TenantControl, named: string): Promise<string> {
  if (!named.includes('@')) return named
  const [lead] = (await tenant.leads.list({ email: named, limit: 1 })).leads
  if (lead) return lead.lead_id
  throw new CommandError(
    'No lead of this address is stored. A call that stored none is in lead-sandbox logs tail: explain it by its id, such as r42.',
  )
}
