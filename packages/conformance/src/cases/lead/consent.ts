import type { ConsentEntry } from '@lead-distribution/contract'

/** A consent of this type that was given. */
export function accepted(type: string): ConsentEntry {
  return { type, accepted: true, accepted_at: '2026-01-31T09:30:00Z', version: '1' }
}

/** A consent of this type that was declined. */
export function declined(type: string): ConsentEntry {
  return { type, accepted: false, accepted_at: null, version: '1' }
}
