/** The consents without which no lead is processed (Spec 2.9, 8). */
export const requiredConsents = ['terms', 'privacy_policy'] as const

/** What the customer has agreed to (Spec 2.9). */
export interface Consents {
  /** One entry a consent; `terms` and `privacy_policy` must be there, accepted. */
  entries: ConsentEntry[]
  /** How the consents were collected; the formal schema requires it, the prose does not. */
  metadata?: ConsentMetadata
}

/** One consent (Spec 2.9). */
export interface ConsentEntry {
  /** The consent's name: `terms`, `privacy_policy`, `marketing` or one of the publisher's own. */
  type: string
  /** Whether the customer accepted. */
  accepted: boolean
  /** When the customer accepted, RFC 3339 with a zone; `null` for a consent not accepted. */
  accepted_at: string | null
  /** Version label of the consent document. */
  version: string
  /** URL of the very document that was shown. Recommended for audits. */
  document_url?: string | null
}

/** How the consents were collected (Spec 2.9). */
export interface ConsentMetadata {
  /** IPv4 address that the customer agreed from. */
  ip_address: string
  /** User agent that the customer agreed with. */
  user_agent?: string
  /** When the consents were collected, RFC 3339 with a zone. */
  collected_at: string
}

/** An accepted consent says when it was accepted (Spec 2.9): which field is wrong where it does not, and what is said of it. */
export const acceptedSaysWhen = {
  field: 'accepted_at',
  issue: 'must say when the consent was accepted: null is for a consent that was not accepted',
  /** Whether an entry says so, or was not accepted. */
  holds: (entry: { accepted?: unknown; accepted_at?: unknown }): boolean =>
    !(entry.accepted === true && entry.accepted_at === null),
} as const
