/** The path of everything that belongs to the sandbox rather than the service. */
export const sandboxPath = '/_sandbox'

export const controlPath = `${sandboxPath}/v1`

/** The pages for operators, below the sandbox's path. */
export const operatorPaths = {
  /** Shows the health of the sandbox. */
  health: '/health',
  /** The liveness probe: restart the process if it fails. */
  live: '/health/live',
  /** The readiness probe: send no requests while it fails. */
  ready: '/health/ready',
  /** Metrics for Prometheus. */
  metrics: '/metrics',
} as const

/**
 * All pages below the sandbox's path. An application with a console serves the console, the reference and `llms` itself.
 */
export const pagePaths = {
  ...operatorPaths,
  /** The console for browsers, a list of links for programs. */
  index: '/',
  consoleAsset: '/assets/:file',
  /** The readable reference of both OpenAPI documents. */
  reference: '/docs',
  referenceAsset: '/docs/assets/:file',
  /** The page for language models (https://llmstxt.org). */
  llms: '/llms.txt',
  serviceDocument: '/service.openapi.json',
  controlDocument: '/openapi.json',
  advertiser: '/advertiser/:lead_id/:advertiser_id',
  inbox: '/inbox/:tenant',
} as const

export const referencePath = `${sandboxPath}${pagePaths.reference}`

/** The sandbox's URLs, all on its own origin and below its mount path. */
export interface Urls {
  /** The sandbox's scheme, host, port and mount path. */
  readonly origin: string
  /** The base address of the service (Spec 9). */
  readonly base: string
  /** The simulated advertiser's page: where a `redirect_url` leads. */
  readonly advertiserPage: (leadId: string, advertiserId: string) => string
  /** The inbox that receives the callbacks of a tenant without a callback URL. */
  readonly inbox: (tenant: string) => string
  /** The pixel of a lead, without its query. */
  readonly pixel: (leadId: string) => string
}

/** Returns the status URL of a lead, for JSON calls (Spec 4.2) and, with a token, for the pixel (Spec 4.3). */
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
