import type { Migration } from './migration.ts'

/**
 * All that leads are searched by, in their order: a search looks at thousands of them without reading one. It only ever
 * grows at the end of a tenant, so that a submission finds its page in memory.
 */
export const searchedLeads: Migration = () => `
  create index leads_searched on leads (tenant, lead_id, status, rejection_reason, product_id, email, received_at);
`
