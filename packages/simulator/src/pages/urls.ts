import { sandboxPath } from '../surface.ts'

/** Where the sandbox's own pages stand, all on its own origin. */
export interface Urls {
  /** Scheme, host and port of the sandbox, and the path that it is mounted at. */
  readonly origin: string
  /** The base address of the service (Spec 9). */
  readonly base: string
  /** The simulated lender's page: what a `redirect_url` leads to. */
  readonly lenderPage: (leadId: string, advertiserId: string) => string
  /** Takes the callbacks of a tenant that names no URL of its own. */
  readonly sink: (tenant: string) => string
  /** The pixel of a lead, without its query. */
  readonly pixel: (leadId: string) => string
}

/** The URLs of a sandbox on an origin, such as `http://127.0.0.1:4010`, or `http://127.0.0.1:3000/leads` where it is mounted below a path. */
export function createUrls(origin: string, servicePath: string): Urls {
  return {
    origin,
    base: `${origin}${servicePath}`,
    lenderPage: (leadId, advertiserId) => `${origin}${sandboxPath}/lender/${leadId}/${advertiserId}`,
    sink: tenant => `${origin}${sandboxPath}/sink/${tenant}`,
    pixel: leadId => `${origin}${servicePath}/lead/${leadId}/status`,
  }
}
