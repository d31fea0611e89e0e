import { isLoopback, isSandboxHost, sandboxKeyPrefix } from '@lead-distribution/contract'
import { ConfigError } from '../errors/config-error.ts'

/** What stands behind a base address. */
export type Environment = 'production' | 'sandbox'

/**
 * Settles what stands behind the base address: what the caller says, else a sandbox on loopback and where the
 * host's first label is `sandbox` (Spec 9), else production. Gives the guard that refuses a key of the other
 * environment before anything is sent (Spec 5): a sandbox key in production, and any other key at the service's own
 * sandbox. A sandbox that is known otherwise takes every key, for the operator may hand out keys of another form.
 * @throws ConfigError where address and statement contradict each other, and where a key would travel unencrypted;
 * the guard, where the key belongs elsewhere.
 */
export function guardEnvironment({ hostname, protocol }: URL, stated: Environment | undefined): (key: string) => void {
  const local = isLoopback(hostname)
  const named = isSandboxHost(hostname) && !local
  if (stated !== undefined && stated !== 'production' && stated !== 'sandbox') {
    throw new ConfigError('`environment` must be "production" or "sandbox".')
  }
  if (stated === 'production' && named) {
    throw new ConfigError('`environment` says production, but the base URL is a sandbox. Correct one of them.')
  }
  const production = stated ? stated === 'production' : !named && !local
  if (production && protocol === 'http:' && !local) {
    throw new ConfigError(
      'The base URL must be https: keys and personal data would travel unencrypted. If it is a sandbox, say `environment: "sandbox"`.',
    )
  }
  return key => {
    const ofSandbox = key.startsWith(sandboxKeyPrefix)
    if (ofSandbox && production) {
      throw new ConfigError(
        'This is a sandbox key and the base URL is production. Use the production key, or the sandbox base URL.',
      )
    }
    if (!ofSandbox && named && !stated) {
      throw new ConfigError(
        'The base URL is the sandbox, where a production key does not belong. Use the sandbox key; if the operator gave you one of another form, say `environment: "sandbox"`.',
      )
    }
  }
}
