import { createAdvertiser } from '@lead-distribution/advertiser-sdk'
import { vi } from 'vitest'
import type { Tenant } from '../adapters/tenant.ts'
import type { Names } from './advertiser-names.ts'
import { productionUrl } from './production.ts'

/** An application around the SDK, and a lead that it took; what it is called with is seen. */
export async function advertiserNames(tenant: Tenant): Promise<Names> {
  const lead_id = await tenant.distributedLead()
  return {
    advertiser: createAdvertiser({ tenant: 'acme', serviceDomain: 'leads.example' }),
    lead_id,
    postbackUrlOfTheLead: `${productionUrl}${await tenant.postback(lead_id)}`,
    database: {
      markReported: vi.fn(async () => undefined),
      reportLater: vi.fn(async () => undefined),
      savePostbackUrl: vi.fn(async () => undefined),
    },
    logger: { info: vi.fn(), warn: vi.fn() },
  }
}
