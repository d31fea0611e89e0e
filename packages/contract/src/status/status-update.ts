/** The body of `POST /lead/{lead_id}/status` (Spec 4.2). */
export interface StatusUpdate {
  /** What happened to the lead: `converted`, or an event name of either list. */
  status: string
  /** The advertiser that reports; a UUID, and the API key's own. */
  advertiser_id?: string
  /** Figures of the loan. */
  metadata?: StatusMetadata
}

/** Figures of the loan that a status update reports (Spec 4.2). */
export interface StatusMetadata {
  /** Amount of the loan, euros. */
  amount?: number
  /** Term of the loan, whole months. */
  term_months?: number
}

/** The reply of `POST /lead/{lead_id}/status` (Spec 4.2). */
export interface StatusReply {
  /** Id of the lead, a UUID. */
  lead_id: string
  /** The reported status, as it was reported. */
  status: string
}
