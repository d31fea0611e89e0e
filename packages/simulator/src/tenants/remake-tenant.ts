import { createTenant } from './create-tenant.ts'
import { createDemoTenant, demoName } from './demo-tenant.ts'
import type { TenantRecord } from './tenant-record.ts'

/** A tenant as it was made: its ids, keys and settings, whatever was changed since. */
export async function remakeTenant({
  tenant,
  seed,
  created_at,
  made,
  settings,
  publisher,
}: TenantRecord): Promise<TenantRecord> {
  const order = made ?? { settings, callback_url: publisher.callback_url }
  // The documented ids are of the demo tenant's own seed; on a shared host it has another one.
  if (tenant === demoName && seed === demoName) return createDemoTenant(created_at, order.settings)
  return createTenant({ tenant, seed, created_at, ...order })
}
