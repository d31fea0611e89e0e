import type { SandboxStorage } from '../storage/sandbox-storage.ts'
import type { Metrics } from './metrics.ts'

/** A storage whose transactions are counted. */
export function measureTransactions(
  storage: SandboxStorage,
  metrics: Pick<Metrics, 'transaction'>,
  monotonic: () => number,
): SandboxStorage {
  return {
    ...storage,
    of(tenant, expected) {
      const { transact } = storage.of(tenant, expected)
      return {
        async transact(work) {
          const start = monotonic()
          const seconds = () => (monotonic() - start) / 1000
          try {
            const result = await transact(work)
            metrics.transaction('committed', seconds())
            return result
          } catch (error) {
            metrics.transaction('failed', seconds())
            throw error
          }
        },
      }
    },
  }
}
