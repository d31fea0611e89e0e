import { basePath } from '@lead-distribution/contract'
import { ConfigError } from '../errors/config-error.ts'
import type { ServiceAddress } from './client-options.ts'

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i

/**
 * The base address that the options state, without a slash at its end (Spec 9).
 * @throws ConfigError where it is none. The message does not repeat it: it may hold a password.
 */
export function resolveBaseUrl({ baseUrl, tenant, serviceDomain }: ServiceAddress): URL {
  if (baseUrl !== undefined && (tenant !== undefined || serviceDomain !== undefined)) {
    throw new ConfigError('State either `baseUrl`, or `tenant` with `serviceDomain`, not both.')
  }
  if (baseUrl === undefined) {
    if (!tenant || !serviceDomain) throw new ConfigError('State `baseUrl`, or `tenant` with `serviceDomain`.')
    if (!label.test(tenant) || !serviceDomain.split('.').every(part => label.test(part))) {
      throw new ConfigError('`tenant` must be one label of a host name, `serviceDomain` a host name without a scheme.')
    }
    return new URL(`https://${tenant}.${serviceDomain}${basePath}`)
  }
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new ConfigError(
      '`baseUrl` must be an absolute http or https URL without credentials, query and fragment, such as https://acme.example.com/api/v1.',
    )
  }
  url.pathname = url.pathname.replace(/\/+$/, '')
  return url
}
