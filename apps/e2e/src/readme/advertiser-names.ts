import type { Advertiser } from '@lead-distribution/advertiser-sdk'

/** The names that the blocks of the advertiser SDK's README take for granted: the client, and the application's own. */
export interface Names {
  advertiser: Advertiser
  lead_id: string
  /** The URL that the service delivered with the lead. */
  postbackUrlOfTheLead: string
  database: {
    markReported(lead_id: string | null): Promise<void>
    reportLater(lead_id: string): Promise<void>
    savePostbackUrl(lead_id: string, url: string): Promise<void>
  }
  logger: Record<'info' | 'warn', (what: object) => void>
}
