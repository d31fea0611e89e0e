import type { LeadStatus, RejectionReason } from '../enumerations.ts'

/** The reply of `POST /lead` (Spec 2.12). */
export interface LeadResponse {
  /** Id of the lead, a UUID; absent or null where no lead was created. */
  lead_id?: string | null
  /** What became of the lead. */
  status: LeadStatus
  /** Where to send the customer; only where `status` is `distributed`. */
  redirect_url?: string | null
  /** Why not; only where `status` is `rejected`. */
  rejection_reason?: RejectionReason | null
}
