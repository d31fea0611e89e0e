import type { Clock } from '@lead-distribution/engine'
import type { Timer } from '../ports/timer.ts'

/** What a loop delivers, and when it looks again. */
export interface DeliveryWork {
  /** Sends what is due; answers how many tries it made. */
  readonly deliverDue: () => Promise<number>
  /** When the next one is due on the tenant's clock; undefined when none is pending. */
  readonly nextDue: () => Promise<number | undefined>
  readonly clock: Clock
  readonly timer: Timer
  readonly onFault: (fault: unknown) => void
}

/** Delivers a tenant's callbacks when they fall due; costs nothing while none is pending. */
export interface DeliveryLoop {
  /** Looks for due callbacks soon. */
  wake(): void
  /** Starts nothing more; resolves when what is under way is done. */
  stop(): Promise<void>
}

/** After a fault, or while a due callback is leased by somebody else: when to look again. */
const retryMs = 1_000

/** Starts idle: wake it. */
export function createDeliveryLoop({ deliverDue, nextDue, clock, timer, onFault }: DeliveryWork): DeliveryLoop {
  let running: Promise<void> | undefined
  let again = false
  let stopped = false
  let cancelTimer: (() => void) | undefined

  async function run(): Promise<void> {
    do {
      again = false
      while (!stopped && (await deliverDue()) > 0);
    } while (again && !stopped)
    const due = stopped ? undefined : await nextDue()
    if (due === undefined || stopped) return
    cancelTimer = timer.after(due > clock.now() ? due - clock.now() : retryMs, wake)
  }

  function wake(): void {
    if (stopped) return
    again = true
    cancelTimer?.()
    running ??= run()
      .catch(fault => {
        onFault(fault)
        cancelTimer = timer.after(retryMs, wake)
      })
      .finally(() => {
        running = undefined
        if (again) wake()
      })
  }

  return {
    wake,
    async stop() {
      stopped = true
      cancelTimer?.()
      await running
    },
  }
}
