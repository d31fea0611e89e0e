import { ConfigError } from '../errors/config-error.ts'
import { type KeyVariable, keySource } from '../settings/api-key.ts'
import { resolveBaseUrl } from '../settings/base-url.ts'
import { guardBrowser } from '../settings/browser-guard.ts'
import type { ClientOptions } from '../settings/client-options.ts'
import { guardEnvironment } from '../settings/environment.ts'
import { resolveLimits } from '../settings/limits.ts'
import { resolveBackOff } from './back-off.ts'
import type { Answered, Call } from './call.ts'
import { sendCall } from './send-call.ts'

/** A client that is set up: makes the calls of an SDK. */
export interface Caller {
  /** The base address, as text without a slash at its end. */
  baseUrl: string
  /** Makes one call, with its retries. Rejects with a LeadSdkError and nothing else. */
  call(call: Call): Promise<Answered>
}

/**
 * Sets a client up: checks its options, of which later changes are not seen, and sends nothing.
 * @throws ConfigError
 */
export function createCaller(given: ClientOptions, variable: KeyVariable): Caller {
  const options = { ...given }
  guardBrowser(options.dangerouslyAllowBrowser)
  const address = resolveBaseUrl(options)
  const guardKey = guardEnvironment(address, options.environment)
  resolveLimits(options)
  const waits = resolveBackOff(options.backOff)
  for (const name of ['fetch', 'onEvent'] as const) {
    if (options[name] !== undefined && typeof options[name] !== 'function') {
      throw new ConfigError(`\`${name}\` must be a function.`)
    }
  }
  const key = keySource(options.apiKey, variable, guardKey)
  const baseUrl = address.href.replace(/\/$/, '')
  return {
    baseUrl,
    async call(call) {
      const url = 'url' in call.to ? call.to.url : `${baseUrl}${call.to.path}`
      return await sendCall({ ...call, url, key: call.withKey ? key : undefined }, options, waits)
    },
  }
}
