/** Everything of the sandbox is below this path; nothing of it is in the service's paths. */
export const sandboxPath = '/_sandbox'

export const controlPath = `${sandboxPath}/v1`

/** The path of the readable reference, where an application serves one. */
export const referencePath = `${sandboxPath}/docs`

/** The pages for operators, below the sandbox's path. */
export const operatorPaths = {
  /** Shows whether the sandbox works. */
  health: '/health',
  /** The liveness probe: restart the process if it fails. */
  live: '/health/live',
  /** The readiness probe: send no requests while it fails. */
  ready: '/health/ready',
  /** Metrics for Prometheus. */
  metrics: '/metrics',
} as const

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

/** Returns the URL at which a lead is reported: by a JSON call (Spec 4.2), and with a token by the pixel (Spec 4.3). */
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
