/**
 * The names and numbers of the sandbox's outer surface. This file loads nothing, so that a command line can have them
 * without the sandbox.
 */

/** Everything of the sandbox is below this path; nothing of it is in the service's paths. */
export const sandboxPath = '/_sandbox'

/** The base path of the control plane. */
export const controlPath = `${sandboxPath}/v1`

/** The path of the readable reference, where an application serves one. */
export const referencePath = `${sandboxPath}/docs`

/** What a sandbox shows of its work to those that operate it, below the sandbox's path. */
export const operatorPaths = {
  /** Whether it can do its work. */
  health: '/health',
  /** Whether the process answers: a probe that restarts it. */
  live: '/health/live',
  /** Whether it can do its work: a probe that keeps requests away from it. */
  ready: '/health/ready',
  /** Metrics for Prometheus. */
  metrics: '/metrics',
} as const

/** The header that names a scenario for any payload; the one header that the sandbox adds to the service. */
export const scenarioHeader = 'x-sandbox-scenario'

/** The bounds of a whole number, both inclusive. */
export interface Bounds {
  readonly min: number
  readonly max: number
}

/** The bounds of the whole numbers that the control plane takes. */
export const controlBounds = {
  /** Entries of a list. */
  limit: { min: 1, max: 500 },
  /** Milliseconds to wait for a callback. */
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

/** Which effects a fault can have, by what it acts on. */
export const faultEffects = {
  calls: ['status', 'latency_ms', 'timeout', 'reset', 'malformed', 'lost_reply'],
  callbacks: ['drop', 'delay', 'duplicate', 'reorder', 'status'],
} as const

/** How large a page of a list of the control plane is at most, bytes; a page of a single entry may be larger. */
export const maxPageBytes = 4_194_304

/** How large a snapshot is at most as a file, bytes. */
export const maxSnapshotBytes = 16_777_216

/** The addresses of a sandbox, all on its own origin and below the path that it is mounted at. */
export interface Urls {
  /** Scheme, host and port of the sandbox, and the path that it is mounted at. */
  readonly origin: string
  /** The base address of the service (Spec 9). */
  readonly base: string
  /** The simulated advertiser's page: where a `redirect_url` leads. */
  readonly advertiserPage: (leadId: string, advertiserId: string) => string
  /** The inbox that takes the callbacks of a tenant without a callback URL. */
  readonly inbox: (tenant: string) => string
  /** The pixel of a lead, without its query. */
  readonly pixel: (leadId: string) => string
}

/** Where a lead is reported: by a JSON call (Spec 4.2), and with a token by the pixel (Spec 4.3). */
export function statusUrl(baseUrl: string, leadId: string): string {
  return `${baseUrl}/lead/${leadId}/status`
}

/** The URLs of a sandbox on an origin, such as `http://127.0.0.1:4010`. */
export function createUrls(origin: string, servicePath: string): Urls {
  return {
    origin,
    base: `${origin}${servicePath}`,
    advertiserPage: (leadId, advertiserId) => `${origin}${sandboxPath}/advertiser/${leadId}/${advertiserId}`,
    inbox: tenant => `${origin}${sandboxPath}/inbox/${tenant}`,
    pixel: leadId => statusUrl(`${origin}${servicePath}`, leadId),
  }
}
