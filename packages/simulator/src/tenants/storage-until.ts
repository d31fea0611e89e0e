import type { SandboxStorage } from '../ports/sandbox-storage.ts'

/**
 * A storage for one tenant, up to the end of it: behind that nothing of it is written any more, because another tenant
 * of its name may stand there by then. What was begun before is finished.
 */
export function storageUntil(storage: SandboxStorage, hasEnded: () => boolean): SandboxStorage {
  return {
    ...storage,
    of(tenant) {
      const { transact } = storage.of(tenant)
      return {
        transact: work =>
          hasEnded() ? Promise.reject(new Error(`The tenant ${tenant} was deleted.`)) : transact(work),
      }
    },
  }
}
