import type { Clock, Egress, LeadReader } from '@lead-distribution/engine'
import type { CallService } from '../advertisers/report-as-advertiser.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Urls } from '../pages/urls.ts'
import type { SandboxStorage } from '../ports/sandbox-storage.ts'
import type { Timer } from '../ports/timer.ts'

/** What every tenant needs of the world. */
export interface TenantWorld {
  readonly storage: SandboxStorage
  readonly realClock: Clock
  readonly timer: Timer
  readonly urls: Urls
  readonly readLead: LeadReader
  /** The way out for callbacks that do not go to a tenant's own inbox. */
  readonly outbound: Egress
  /** The service, for what simulated advertisers report. */
  readonly call: CallService
  /** Stands behind the seed of what is drawn by chance. */
  readonly chanceSalt: string
  /** How many requests a tenant's journal keeps. */
  readonly journalLimit: number
  readonly metrics: Metrics
  readonly onError: (fault: unknown) => void
}
