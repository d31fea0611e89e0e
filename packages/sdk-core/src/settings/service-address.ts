import { basePath, isLoopback, isSandboxHost, sandboxKeyPrefix } from '@lead-distribution/contract'
import { assertConfig } from '../errors/config-error.ts'

/** The address of the service: its base address, or the tenant and the service's domain. @inline */ // Spec 9
export type ServiceAddress =
  | {
      /** Base address with its version, such as `https://acme.example.com/api/v1`. */
      baseUrl: string | URL
      tenant?: never
      serviceDomain?: never
    }
  | {
      baseUrl?: never
      /** Subdomain of the account; `sandbox` for the sandbox. */ // Spec 9
      tenant: string
      /** Domain of the service, such as `example.com`. */
      serviceDomain: string
    }

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i

/**
 * Resolves the base address of the options, without a trailing slash.
 * @throws ConfigError it is not a valid address. The message does not repeat it, because it may hold a password.
 */ // Spec 9
export function resolveBaseUrl({ baseUrl, tenant, serviceDomain }: ServiceAddress): URL {
  const byTenant = tenant !== undefined || serviceDomain !== undefined
  assertConfig((baseUrl === undefined) === byTenant, 'Set either `baseUrl`, or `tenant` and `serviceDomain`.')
  if (baseUrl === undefined) {
    assertConfig(
      [tenant, ...(serviceDomain?.split?.('.') ?? [''])].every(part => typeof part === 'string' && label.test(part)),
      '`tenant` must be one label of a host name, and `serviceDomain` a host name.',
    )
    return new URL(`https://${tenant}.${serviceDomain}${basePath}`)
  }
  assertConfig(baseUrl !== '', '`baseUrl` is empty. Set it, or check the environment variable that it comes from.')
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  assertConfig(
    url && /^https?:$/.test(url.protocol) && !(url.username || url.password || url.search || url.hash),
    '`baseUrl` must be an http or https URL, such as https://acme.example.com/api/v1, without credentials, query or fragment.',
  )
  url.pathname = url.pathname.replace(/\/+$/, '')
  assertConfig(
    !/\/lead(\/[^/]+\/status)?$/.test(url.pathname),
    '`baseUrl` must end before the endpoint: remove `/lead` and everything after it.',
  )
  return url
}

/** The environment that a base address belongs to. @inline */
export type Environment = 'production' | 'sandbox'

/**
 * Determines the environment of the base address: the option, else a sandbox on loopback or if the host's first label is
 * `sandbox`, else production. Returns a guard that refuses a key of the other environment before anything is sent: a
 * sandbox key in production, and any other key at the service's own sandbox. A sandbox by option or on loopback takes
 * every key, because its operator may issue keys of another form.
 * @throws ConfigError the address and the option contradict each other, or a key would be sent unencrypted. The guard
 * throws it if the key belongs elsewhere.
 */ // Spec 9, 5
export function guardEnvironment({ hostname, protocol }: URL, stated: Environment | undefined): (key: string) => void {
  const local = isLoopback(hostname)
  const named = isSandboxHost(hostname) && !local
  const isProduction = stated === 'production'
  assertConfig(
    stated === undefined || isProduction || stated === 'sandbox',
    '`environment` must be "production" or "sandbox".',
  )
  assertConfig(
    !isProduction || !named,
    'The base URL is the sandbox, but `environment` is "production". Correct one of them.',
  )
  const production = stated ? isProduction : !named && !local
  assertConfig(
    !production || protocol === 'https:' || local,
    'The base URL must be https, because the key would be sent unencrypted. For a sandbox, set `environment` to "sandbox".',
  )
  return key => {
    const ofSandbox = key.startsWith(sandboxKeyPrefix)
    assertConfig(
      !ofSandbox || !production,
      'A sandbox key does not belong in production. Use the production key, or the base URL of the sandbox.',
    )
    assertConfig(
      ofSandbox || !named || stated,
      'A production key does not belong in the sandbox. Use the sandbox key, or set `environment` to "sandbox" if its keys have another form.',
    )
  }
}

/** The globals that tell a page, a worker and Node apart. */
interface Surroundings {
  window?: { document?: unknown }
  process?: { versions?: { node?: string } }
  navigator?: { userAgent?: string }
}

/**
 * Refuses to run in a page or a worker of a browser, where every visitor can read the key.
 * @throws ConfigError this is a browser, and `dangerouslyAllowBrowser` is not set.
 */
export function guardBrowser(dangerouslyAllowBrowser: boolean | undefined): void {
  const { window, process, navigator } = globalThis as unknown as Surroundings
  // A worker has no document, but a browser's name; Deno, Bun and edge runtimes have another one. Under jsdom, Node has both.
  const inBrowser = (window?.document || navigator?.userAgent?.startsWith('Mozilla/')) && !process?.versions?.node
  assertConfig(
    !inBrowser || dangerouslyAllowBrowser,
    'An API key does not belong in a browser. Call the service from a server, or set `dangerouslyAllowBrowser`.',
  )
}
