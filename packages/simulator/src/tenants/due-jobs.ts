import type { Clock, Storage } from '@lead-distribution/engine'
import { makeReports } from '../advertisers/advertiser-network.ts'
import type { Delivery } from '../callbacks/delivery.ts'
import type { ScheduledReport } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-storage.ts'
import type { DueRun } from '../time/scheduler.ts'

/** What the due jobs of a tenant work on. */
export interface DueJobsOptions {
  readonly storage: Storage<SandboxTables>
  readonly clock: Clock
  readonly delivery: Delivery
  /** Reports an event through the service's own endpoint. */
  readonly report: (report: ScheduledReport) => Promise<unknown>
  /** Called when jobs were done. */
  readonly onDone: () => void
}

const batchSize = 16

/**
 * Runs what falls due for a tenant: reports of the simulated advertiser, and callbacks. One transaction takes both; the
 * one that records the last callback also finds when to run next.
 */
export function createDueJobs({ storage, clock, delivery, report, onDone }: DueJobsOptions): () => Promise<DueRun> {
  return async () => {
    const { reports, callbacks, nextDue } = await storage.transact(async tables => {
      const reports = await tables.listDueReports(clock.now(), batchSize)
      const callbacks = await delivery.lease(tables)
      const isIdle = reports.length === 0 && callbacks.length === 0
      return { reports, callbacks, nextDue: isIdle ? await findNextDue(tables) : undefined }
    })
    const done = reports.length + callbacks.length
    if (done === 0) return { done, nextDue }
    const [next] = await Promise.all([delivery.tryAll(callbacks, findNextDue), makeReports(reports, storage, report)])
    onDone()
    // A report that was made may have a callback that is due by now.
    return { done, nextDue: reports.length > 0 ? clock.now() : next }
  }
}

async function findNextDue(tables: SandboxTables): Promise<number | undefined> {
  const callback = await tables.nextCallbackDue()
  const report = await tables.nextReportDue()
  return callback === undefined || report === undefined ? (callback ?? report) : Math.min(callback, report)
}
