import type { TenantRecord, TokenRecord } from '../storage/tenant-record.ts'
import type { EventHub } from '../stream/event-hub.ts'
import type { Tenant } from './tenant.ts'

/**
 * What streams show of tenants as a whole, and which streams that ends. Whatever opens, changes or deletes a tenant comes
 * here, also where it is taken over from another process: so each process announces it by itself.
 */
export function createTenantEvents(events: EventHub) {
  const deleted = (tenant: Tenant) => {
    tenant.announce('deleted')
    events.remove(tenant.record.tenant)
  }

  /** A stream was opened with a token once, and asks for none while it goes on. */
  function endRevoked(before: TenantRecord, { tokens = [] }: TenantRecord): void {
    const isRevoked = ({ token_id }: TokenRecord) => !tokens.some(token => token.token_id === token_id)
    if (before.tokens?.some(isRevoked)) events.remove(before.tenant)
  }

  return {
    deleted,
    /** A tenant is open, in place of the one that had its name before. */
    opened(tenant: Tenant, before: Tenant | undefined): void {
      // A reset or a snapshot keeps the time of creation.
      const isRestored = before?.record.created_at === tenant.record.created_at
      if (before && !isRestored) deleted(before)
      tenant.announce(isRestored ? 'restored' : 'created')
      if (before && isRestored) endRevoked(before.record, tenant.record)
    },
    changed(tenant: Tenant, before: TenantRecord): void {
      tenant.announce('changed')
      endRevoked(before, tenant.record)
    },
  }
}
