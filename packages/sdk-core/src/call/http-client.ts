import { assertConfig } from '../errors/unsent-errors.ts'
import { type KeyVariable, keySource } from '../settings/api-key.ts'
import { type ClientOptions, resolveLimits } from '../settings/client-options.ts'
import { resolveHeaders, userAgentOf } from '../settings/request-headers.ts'
import { guardBrowser, guardEnvironment, resolveBaseUrl } from '../settings/service-address.ts'
import type { Call, CallResult } from './call.ts'
import { resolveBackOff } from './retry.ts'
import { sendCall } from './send-call.ts'

/** Makes the calls of an SDK. */
export interface HttpClient {
  /** The base address, as text without a slash at its end. */
  baseUrl: string
  /** Makes one call, with its retries. Rejects with a LeadSdkError and nothing else. */
  call(call: Call): Promise<CallResult>
}

/**
 * Checks the options of a client, and copies them: later changes have no effect. Sends nothing.
 * @throws ConfigError
 */
export function createHttpClient(given: ClientOptions, variable: KeyVariable): HttpClient {
  const options = { ...given }
  guardBrowser(options.dangerouslyAllowBrowser)
  const address = resolveBaseUrl(options)
  const guardKey = guardEnvironment(address, options.environment)
  resolveLimits(options)
  resolveHeaders(options.headers)
  const agent = userAgentOf(variable, options.appInfo)
  const waits = resolveBackOff(options.backOff)
  for (const name of ['fetch', 'onEvent'] as const) {
    const given = options[name]
    assertConfig(given === undefined || typeof given === 'function', `\`${name}\` must be a function.`)
  }
  const key = keySource(options.apiKey, variable, guardKey)
  const baseUrl = address.href.replace(/\/$/, '')
  return {
    baseUrl,
    async call(call) {
      const url = 'url' in call.to ? call.to.url : `${baseUrl}${call.to.path}`
      const limits = resolveLimits(options, call.options)
      const headers = resolveHeaders(options.headers, call.options?.headers)
      if (agent) headers['user-agent'] = agent
      const ready = { ...options, ...call, ...limits, headers, url, waits, key: call.withKey ? key : undefined }
      return await sendCall(ready)
    },
  }
}
