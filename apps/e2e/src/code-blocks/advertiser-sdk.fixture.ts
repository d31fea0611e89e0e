import { type Advertiser, createAdvertiser } from '@lead-distribution/advertiser-sdk'
import { vi } from 'vitest'
import type { Tenant } from '../adapters/tenant.ts'
import { productionUrl } from './run-blocks.fixture.ts'

/** The names that the code blocks of the advertiser SDK's README assume: the client, and the application's own. */
export interface Names {
  advertiser: Advertiser
  lead_id: string
  /** The URL that the service delivered with the lead. */
  postbackUrlOfTheLead: string
  database: {
    markReported(lead_id: string | null): Promise<void>
    reportLater(lead_id: string): Promise<void>
    savePostbackUrl(lead_id: string, url: string): Promise<void>
  }
  logger: Record<'info' | 'warn', (what: object) => void>
}

/** An application around the SDK that records its calls, and a lead that it accepted. */
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
