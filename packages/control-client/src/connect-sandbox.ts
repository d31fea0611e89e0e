import { basePath } from '@lead-distribution/contract'
import { type ControlClient, createControlClient, type Tenant } from './control-client.ts'
import { type HttpOptions, sendOverHttp } from './send-over-http.ts'

/**
 * The options of a client.
 * @category Options
 */
export interface SandboxClientOptions extends Omit<HttpOptions, 'url'> {
  /** The sandbox's URL, such as `http://127.0.0.1:4010`, or the base URL of its service, which ends in `/api/v1`. */
  readonly baseUrl: string | URL
  /**
   * The `--admin-token` of a sandbox on another host, or the token of a single tenant, which gives access to only that
   * one. With the latter, `connectSandbox` also needs `tenant`.
   */
  readonly adminToken?: string | undefined
}

/**
 * The options of {@link connectSandbox}.
 * @category Options
 */
export interface ConnectOptions extends SandboxClientOptions {
  /** The name of the tenant to open as {@link Sandbox.tenant}. Default `demo`. */
  readonly tenant?: string | undefined
}

/**
 * A running sandbox.
 * @category Client
 */
export interface Sandbox extends ControlClient {
  /** The tenant selected by the option `tenant`, by default `demo`. */
  readonly tenant: Tenant
}

/**
 * Connects to a running sandbox and opens a tenant, in Node or a browser.
 * @throws TypeError an option is invalid.
 * @throws ControlError no sandbox responds, the token is wrong, or the tenant does not exist.
 * @throws PathError the option `tenant` cannot be part of a path.
 * @example
 * ```ts
 * import { connectSandbox } from '@lead-distribution/control-client'
 *
 * const sandbox = await connectSandbox('http://127.0.0.1:4010')
 * const tenant = await sandbox.createTenant()
 * await tenant.clock.advance({ by: 'PT24H' })
 * await tenant.delete()
 * ```
 * @category Client
 */
export async function connectSandbox(options: string | URL | ConnectOptions): Promise<Sandbox> {
  // Not `instanceof`, because jsdom has its own `URL` class.
  const { tenant = 'demo', ...rest }: ConnectOptions =
    typeof options === 'string' || 'href' in options ? { baseUrl: options } : options
  const client = createSandboxClient(rest)
  return { ...client, tenant: await client.openTenant(tenant) }
}

/**
 * Creates a client for a sandbox without sending anything, so the sandbox may start later.
 * @throws TypeError `baseUrl` is not the URL of a sandbox.
 * @example
 * ```ts
 * import { createSandboxClient } from '@lead-distribution/control-client'
 *
 * const sandbox = createSandboxClient({ baseUrl: 'https://sandbox.example', adminToken: process.env.ADMIN_TOKEN })
 * const { tenants } = await sandbox.listTenants()
 * ```
 * @category Client
 */
export function createSandboxClient(options: SandboxClientOptions): ControlClient {
  return createControlClient(sendOverHttp({ ...options, url: sandboxUrl(options.baseUrl) }))
}

function sandboxUrl(baseUrl: string | URL): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new TypeError('`baseUrl` must be the URL of a sandbox, such as http://127.0.0.1:4010.')
  const path = url.pathname.replace(/\/+$/, '')
  return `${url.origin}${path.endsWith(basePath) ? path.slice(0, -basePath.length) : path}`
}
