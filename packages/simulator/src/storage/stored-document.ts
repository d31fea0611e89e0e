import type { Storage } from '@lead-distribution/engine'
import type { TenantDocuments } from './records.ts'
import type { SandboxTables } from './sandbox-tables.ts'

/** A tenant's document, with a cached copy that is never ahead of the storage. */
export interface StoredDocument<Value> {
  /** Returns the last stored value. */
  current(): Value
  /**
   * Stores the value that `change` returns, in one transaction with everything that `change` writes. Resolves to its
   * `result`. Changes are serialized, so that no update is lost. A failed change has no effect.
   */
  update<Result>(
    change: (value: Value, tables: SandboxTables) => Promise<{ readonly value: Value; readonly result: Result }>,
  ): Promise<Result>
  /** Sets the cached copy to a stored value. */
  restore(value: Value): void
}

export interface DocumentOptions<Value> {
  readonly initial: Value
  readonly unwritten: Value
  /** Reloads the copy if processes share the storage, where another change may be newer than this one. */
  readonly refresh?: (() => Promise<void>) | undefined
}

/**
 * Creates a document over a tenant's storage. `initial` is the stored value, `unwritten` the value before the first
 * write.
 */
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
        // Not the cached copy: it is updated only after the previous change has committed.
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
