/** The inclusive bounds of the integers that the control plane accepts. */
export const bounds = {
  /** Entries of a list. */
  limit: { min: 1, max: 500 },
  /** Milliseconds to wait for a callback. */
  timeout_ms: { min: 0, max: 60_000 },
  /** Reports of one trigger. */
  repeat: { min: 1, max: 100 },
  /** The number of times that a fault acts or an inbox fails, and the number of matching requests that pass first. */
  times: { min: 0, max: 1_000_000 },
  /** HTTP statuses that an inbox or a fault responds with. */
  status: { min: 200, max: 599 },
  /** Seconds. */
  retry_after: { min: 0, max: 86_400 },
  /** Milliseconds. */
  latency_ms: { min: 0, max: 600_000 },
  /** Extra copies of a callback. */
  duplicate: { min: 0, max: 100 },
} as const

/** The maximum number of faults per tenant. */
export const maxFaults = 1_000

/** The maximum size of a page of a control plane list, in bytes; a page with a single entry may be larger. */
export const maxPageBytes = 4_194_304

/** The names of the snapshots that a reset and a restore save. Each replaces the previous one. */
export const automaticSnapshots = { reset: 'before-reset', restore: 'before-restore' } as const

/** The maximum size of a snapshot file, in bytes. */
export const maxSnapshotBytes = 16_777_216
