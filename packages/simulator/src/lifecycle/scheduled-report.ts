/** An event that the simulated advertiser is going to report by itself. */
export interface ScheduledReport {
  report_id: string
  lead_id: string
  advertiser_id: string
  /** The name that it is reported by. */
  event: string
  /** Milliseconds since 1970 on the tenant's clock. */
  due_at: number
}
