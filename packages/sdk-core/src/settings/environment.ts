import { sandboxKeyPrefix } from '@lead-distribution/contract'
import { ConfigError } from '../errors/config-error.ts'

/** What stands behind a base address. */
export type Environment = 'production' | 'sandbox'

const loopback = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Whether a host is this machine itself. */
export function isLoopback(hostname: string): boolean {
  return loopback.test(hostname)
}

/**
 * What stands behind the base address: what the caller says, else a sandbox on loopback and where the host's
 * first label is `sandbox` (Spec 9), else production.
 * @throws ConfigError where the two contradict each other, and where a key would travel unencrypted.
 */
export function resolveEnvironment(baseUrl: URL, stated: Environment | undefined): Environment {
  const named = baseUrl.hostname.startsWith('sandbox.')
  if (stated === 'production' && named) {
    throw new ConfigError('`environment` says production, but the base URL is a sandbox. Correct one of them.')
  }
  const environment = stated ?? (named || isLoopback(baseUrl.hostname) ? 'sandbox' : 'production')
  if (environment === 'production' && baseUrl.protocol === 'http:' && !isLoopback(baseUrl.hostname)) {
    throw new ConfigError(
      'The base URL must be https: keys and personal data would travel unencrypted. If it is a sandbox, say `environment: "sandbox"`.',
    )
  }
  return environment
}

/**
 * Refuses a sandbox key for production before anything is sent (Spec 5). The reverse is not refused by the
 * key's form: a production key has none that is known, and neither has a key of the operator's own sandbox.
 * @throws ConfigError
 */
export function guardEnvironment(key: string, environment: Environment): void {
  if (environment === 'production' && key.startsWith(sandboxKeyPrefix)) {
    throw new ConfigError(
      'This is a sandbox key and the base URL is production. Use the production key, or the sandbox base URL.',
    )
  }
}
