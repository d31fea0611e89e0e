import { basePath, isLoopback, isSandboxHost, sandboxKeyPrefix } from '@lead-distribution/contract'
import { assertConfig } from './errors.ts'
import { environmentVariable } from './runtime.ts'

/**
 * The service's address: its base URL, by default from the environment, or the tenant and the service's domain. @inline
 */ // Spec 9
export type ServiceAddress =
  | {
      /** Base URL including the version, such as `https://acme.example.com/api/v1`. Default: `LEAD_BASE_URL`. */
      baseUrl?: string | URL | undefined
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
 * Resolves the base URL from the options, without a trailing slash.
 * @throws ConfigError if it is not a valid address. The message does not repeat it, because it may hold a password.
 */ // Spec 9
export function resolveBaseUrl({ baseUrl: stated, tenant, serviceDomain }: ServiceAddress): URL {
  const byTenant = tenant !== undefined || serviceDomain !== undefined
  assertConfig(!byTenant || stated === undefined, 'Set either `baseUrl`, or `tenant` and `serviceDomain`.')
  const baseUrl = byTenant ? undefined : (stated ?? environmentVariable('LEAD_BASE_URL'))
  assertConfig(
    byTenant || baseUrl !== undefined,
    'The address of the service is missing. Set `baseUrl` or LEAD_BASE_URL, or `tenant` and `serviceDomain`.',
  )
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

/** The environment that a base URL belongs to. @inline */
export type Environment = 'production' | 'sandbox'

/**
 * Determines the environment of the base URL: the option; else a sandbox on loopback or if the host's first label is
 * `sandbox`; else production. Returns a guard that refuses a key of the other environment before anything is sent: a
 * sandbox key in production, and a production key at the service's own sandbox. A sandbox by option or on loopback
 * accepts every key, because its operator may issue keys of another form.
 * @throws ConfigError if the address and the option contradict each other, or a key would be sent unencrypted. The
 * guard throws it if the key belongs to the other environment.
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
