import { durationMs, type Settings } from '@lead-distribution/engine'
import type { SandboxTables } from '../storage/sandbox-storage.ts'
import type { TenantClock } from '../time/clock.ts'

/** What a limiter of waits works on. */
export interface WaitLimiterOptions {
  readonly clock: TenantClock
  /** How long a callback waits before each further try. */
  readonly retries: () => Settings['callback_retries']
}

/** Sees to it that nothing waits longer because the machine's clock was set back. */
export function createWaitLimiter({ clock, retries }: WaitLimiterOptions) {
  let setBack = 0
  let isFirst = true
  return {
    async apply(tables: SandboxTables): Promise<void> {
      setBack += clock.takeSetBack()
      if (setBack > 0) await tables.bringForward(setBack, clock.now())
      // It may have been set back while nothing ran: no wait is longer than the longest of the account.
      if (isFirst) await tables.limitRetries(clock.now() + Math.max(0, ...retries().map(durationMs)))
    },
    applied(): void {
      setBack = 0
      isFirst = false
    },
  }
}
