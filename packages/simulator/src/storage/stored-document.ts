import type { Storage } from '@lead-distribution/engine'
import type { TenantDocuments } from './records.ts'
import type { SandboxTables } from './sandbox-tables.ts'

/** A document of a tenant, with a copy in memory that is never ahead of what is stored. */
export interface StoredDocument<Value> {
  /** As it was last stored. */
  current(): Value
  /**
   * Stores the document that `change` makes, together with everything that `change` writes; resolves to its `result`.
   * Changes are serialized, so that none is lost. One that cannot be stored is not made.
   */
  update<Result>(
    change: (value: Value, tables: SandboxTables) => Promise<{ readonly value: Value; readonly result: Result }>,
  ): Promise<Result>
  /** Takes over a stored value. */
  restore(value: Value): void
}

export interface DocumentOptions<Value> {
  readonly initial: Value
  readonly unwritten: Value
  /** Restores the copy as all processes see it, if they share the storage: theirs may be newer than this change. */
  readonly refresh?: (() => Promise<void>) | undefined
}

/** A document over the storage of its tenant. `initial` is as it is stored, `unwritten` as it is where it never was. */
export function createStoredDocument<Name extends keyof TenantDocuments>(
  storage: Storage<SandboxTables>,
  name: Name,
  { initial, unwritten, refresh }: DocumentOptions<TenantDocuments[Name]>,
): StoredDocument<TenantDocuments[Name]> {
  let current = initial
  return {
    current: () => current,
    async update(change) {
      let changes = false
      const { value, result } = await storage.transact(async tables => {
        // Not the copy: that of a change before this one comes only after its commit.
        const before = (await tables.readDocuments())[name] ?? unwritten
        const changed = await change(before, tables)
        changes = changed.value !== before
        if (changes) await tables.writeDocument(name, changed.value)
        return changed
      })
      if (!refresh) current = value
      else if (changes) await refresh()
      return result
    },
    restore(value) {
      current = value
    },
  }
}
