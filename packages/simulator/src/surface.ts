/**
 * The names and numbers that those outside of the sandbox meet. They stand in a file of their own, which loads nothing,
 * so that a command line can have them without the sandbox.
 */

/** The path that all that is ours stands below; nothing of ours stands in the service's paths. */
export const sandboxPath = '/_sandbox'

/** The path that the control plane stands below. */
export const controlPath = `${sandboxPath}/v1`

/** The path of the readable reference, where an application serves one. */
export const referencePath = `${sandboxPath}/docs`

/** The header that names a scenario for any payload; the one header of ours that the service understands. */
export const scenarioHeader = 'x-sandbox-scenario'

/** A whole number's bounds, both inclusive. */
export interface Bounds {
  readonly min: number
  readonly max: number
}

/** The bounds of the whole numbers that the control plane takes. */
export const controlBounds = {
  /** Entries of a list. */
  limit: { min: 1, max: 500 },
  /** Milliseconds that somebody waits for a callback. */
  timeout_ms: { min: 0, max: 60_000 },
  /** Reports of one trigger. */
  repeat: { min: 1, max: 100 },
  /** How often a fault acts or an inbox fails, and how many calls pass first. */
  times: { min: 0, max: 1_000_000 },
  /** HTTP statuses that an inbox or a fault answers. */
  status: { min: 200, max: 599 },
  /** Seconds. */
  retry_after: { min: 0, max: 86_400 },
  /** Milliseconds. */
  latency_ms: { min: 0, max: 600_000 },
  /** More copies of a callback. */
  duplicate: { min: 0, max: 100 },
} as const satisfies Record<string, Bounds>
