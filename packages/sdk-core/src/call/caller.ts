import { keyHeader } from '@lead-distribution/contract'
import { type KeyVariable, keySource } from '../settings/api-key.ts'
import { resolveBaseUrl } from '../settings/base-url.ts'
import { guardBrowser } from '../settings/browser-guard.ts'
import type { ClientOptions } from '../settings/client-options.ts'
import { guardEnvironment, resolveEnvironment } from '../settings/environment.ts'
import { resolveLimits } from '../settings/limits.ts'
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
 * Sets a client up: checks its options, and sends nothing.
 * @throws ConfigError
 */
export function createCaller(given: ClientOptions, variable: KeyVariable): Caller {
  const options = { ...given }
  guardBrowser(options.dangerouslyAllowBrowser)
  const address = resolveBaseUrl(options)
  const environment = resolveEnvironment(address, options.environment)
  resolveLimits(options)
  const key = keySource(options.apiKey, variable)
  const baseUrl = address.href.replace(/\/$/, '')
  return {
    baseUrl,
    async call(call) {
      const headers: Record<string, string> = { accept: 'application/json' }
      if (call.body !== undefined) headers['content-type'] = 'application/json'
      if (call.withKey) {
        headers[keyHeader] = await key()
        guardEnvironment(headers[keyHeader], environment)
      }
      const url = 'url' in call.to ? call.to.url : `${baseUrl}${call.to.path}`
      return await sendCall({ ...call, url, headers }, options)
    },
  }
}
