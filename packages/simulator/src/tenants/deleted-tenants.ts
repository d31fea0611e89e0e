import type { TenantRecord } from '../storage/tenant-record.ts'
import { createKeyDirectory } from './open-tenants.ts'

/** A deleted tenant that can still be brought back. */
export interface DeletedTenant {
  readonly record: TenantRecord & { readonly kept_until: number }
  /** The content of a tenant in a storage that processes share. */
  readonly content?: string | undefined
}

/** Returns true if a stored tenant was deleted and is kept for a while. */
export function isDeleted(record: TenantRecord): record is DeletedTenant['record'] {
  return record.kept_until !== undefined
}

/** The deleted tenants that are kept for a while. Nobody else gets their keys meanwhile. */
export type DeletedTenants = ReturnType<typeof createDeletedTenants>

/** Creates an empty list. */
export function createDeletedTenants({ onExpiry }: { readonly onExpiry: (at: number) => void }) {
  const tenants = new Map<string, DeletedTenant>()
  const keys = createKeyDirectory()

  function remove(name: string): void {
    const deleted = tenants.get(name)
    if (!deleted) return
    keys.remove(deleted.record)
    tenants.delete(name)
  }

  return {
    find: (name: string): DeletedTenant | undefined => tenants.get(name),
    list: (): DeletedTenant[] => [...tenants.values()],
    holderOf: keys.holderOf,
    add(deleted: DeletedTenant): void {
      const { tenant, kept_until } = deleted.record
      remove(tenant)
      tenants.set(tenant, deleted)
      keys.add(deleted.record)
      onExpiry(kept_until)
    },
    remove,
  }
}
