import { assertConfig } from '../errors/config-error.ts'
import { type KeyVariable, keySource } from '../settings/api-key.ts'
import { type ClientOptions, copyOptions, resolveLimits } from '../settings/client-options.ts'
import { resolveHeaders, userAgentOf } from '../settings/request-headers.ts'
import { guardBrowser, guardEnvironment, resolveBaseUrl, type ServiceAddress } from '../settings/service-address.ts'
import type { Call, CallResult } from './call.ts'
import { resolveBackOff } from './retry.ts'
import { sendCall } from './send-call.ts'

/** Makes the calls of an SDK. */
export interface HttpClient {
  /** The base address, without a trailing slash. */
  baseUrl: string
  /** Makes one call, including its retries. Rejects with nothing but a LeadSdkError. */
  call(call: Call): Promise<CallResult>
}

/**
 * Checks and copies the options of a client, so that later changes have no effect. Sends nothing.
 * @throws ConfigError an option is wrong.
 */
export function createHttpClient(given: ClientOptions & ServiceAddress, variable: KeyVariable): HttpClient {
  const options = copyOptions(given)
  guardBrowser(options.dangerouslyAllowBrowser)
  const address = resolveBaseUrl(options)
  const guardKey = guardEnvironment(address, options.environment)
  resolveLimits(options)
  const clientHeaders = resolveHeaders(options.headers)
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
      const headers = resolveHeaders(clientHeaders, call.options?.headers)
      if (agent) headers['user-agent'] = agent
      const ready = { ...options, ...call, ...limits, headers, url, waits, key: call.withKey ? key : undefined }
      return await sendCall(ready)
    },
  }
}
