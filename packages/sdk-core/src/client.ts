import { type ApiKey, type KeyVariable, keySource } from './api-key.ts'
import type { Call, CallEventListener, CallOptions, CallResult } from './call.ts'
import { assertConfig } from './errors.ts'
import { copyOptions, isDuration, type Known, maxMs } from './options.ts'
import { type RequestHeaders, resolveHeaders, userAgentOf } from './request-headers.ts'
import { guardBrowser } from './runtime.ts'
import { sendCall } from './send-call.ts'
import type { Fetch } from './send-request.ts'
import { type Environment, guardEnvironment, resolveBaseUrl, type ServiceAddress } from './service-address.ts'

type CallLimits = Pick<CallOptions, 'timeoutMs' | 'deadlineMs' | 'maxRetries'>

/**
 * The options of both clients, except the service's address.
 * @category Options
 */
export interface ClientOptions extends CallLimits {
  /**
   * The API key: a string, or a function that the client runs before each call. By default, the client reads the key
   * from the environment on the first call; `null` ignores the environment.
   */
  apiKey?: ApiKey | undefined
  /**
   * The environment that the base URL belongs to. By default, loopback hosts and hosts whose first label is `sandbox`
   * are a sandbox, and every other host is production. Set `sandbox` for a self-hosted sandbox under another name, or
   * if its keys don't begin with `sandbox_`.
   */
  environment?: Environment | undefined
  /**
   * Additional headers of every call, such as `x-sandbox-scenario`. You can't set the SDK's own headers (`apikey`,
   * `accept`, `content-type`, `user-agent`, `x-request-id`), nor framing and connection headers (`host`, `connection`,
   * `transfer-encoding` …).
   */
  headers?: RequestHeaders | undefined
  /** A custom `fetch`. Default: the global `fetch`, looked up on each call. */
  fetch?: Fetch | undefined
  /** Called on each attempt, response, retry and failure. */
  onEvent?: CallEventListener | undefined
  /**
   * Set to false to open a new connection for each request. Do so if the host freezes the process between requests, as
   * AWS Lambda does: the idle connection dies meanwhile, and the next submission's outcome is `unknown`. Default: true.
   */
  keepAlive?: boolean | undefined
  /** Allows the client to run in a browser, where every visitor can read the API key. Default: false. */
  dangerouslyAllowBrowser?: boolean | undefined
}

const limits = { timeoutMs: 1, deadlineMs: 1, maxRetries: 1 } satisfies Known<CallLimits>

/** The names of the options of every call. */
export const knownInCalls = { ...limits, signal: 1, headers: 1 } satisfies Known<CallOptions>

/** The names of the options that `withOptions` changes. */
export const knownInChanges = {
  ...limits,
  apiKey: 1,
  environment: 1,
  headers: 1,
  fetch: 1,
  onEvent: 1,
  keepAlive: 1,
  dangerouslyAllowBrowser: 1,
} satisfies Known<ClientOptions>

/** The option names of the service's address. */
export const knownInAddress = { baseUrl: 1, tenant: 1, serviceDomain: 1 } satisfies Known<ServiceAddress>

/** Merges changes into a client's options; `headers` are merged by name. */
export function changedOptions<Options extends ClientOptions>(options: Options, changes: ClientOptions): Options {
  return { ...options, ...changes, headers: { ...options.headers, ...changes?.headers } }
}

/**
 * Resolves the limits of a call: the call's own, else the client's, else the defaults.
 * @throws ConfigError if a limit is out of range, or the signal is not an AbortSignal.
 */
export function resolveLimits(client: CallLimits, options?: CallOptions) {
  // An untyped caller may pass null.
  const call: CallOptions = options ?? {}
  const { signal } = call
  const timeoutMs = call.timeoutMs ?? client.timeoutMs ?? 30_000
  const deadlineMs = call.deadlineMs ?? client.deadlineMs ?? Number.POSITIVE_INFINITY
  const maxRetries = call.maxRetries ?? client.maxRetries ?? 2
  assertConfig(timeoutMs && isDuration(timeoutMs), `\`timeoutMs\` must be a number of milliseconds from 1 to ${maxMs}.`)
  assertConfig(
    deadlineMs && isDuration(deadlineMs, deadlineMs),
    '`deadlineMs` must be a positive number of milliseconds.',
  )
  assertConfig(Number.isInteger(maxRetries) && maxRetries >= 0, '`maxRetries` must be an integer of at least 0.')
  assertConfig(!signal || typeof signal.addEventListener === 'function', '`signal` must be an AbortSignal.')
  return { signal, timeoutMs, deadlineMs, maxRetries }
}

/** Makes the calls of an SDK to the service. */
export interface HttpClient {
  /** The base URL, without a trailing slash. */
  baseUrl: string
  /** Makes one call, including its retries. Rejects only with a LeadSdkError. */
  call(call: Call): Promise<CallResult>
}

/**
 * Checks and copies a client's options, so that later changes have no effect. Sends nothing.
 * @throws ConfigError if an option is invalid.
 */
export function createHttpClient(given: ClientOptions & ServiceAddress, variable: KeyVariable): HttpClient {
  const options = copyOptions(given)
  const { keepAlive = true, dangerouslyAllowBrowser } = options
  guardBrowser(dangerouslyAllowBrowser)
  const address = resolveBaseUrl(options)
  const guardKey = guardEnvironment(address, options.environment)
  resolveLimits(options)
  const clientHeaders = resolveHeaders(options.headers)
  const agent = userAgentOf(variable)
  for (const name of ['fetch', 'onEvent'] as const) {
    const value = options[name]
    assertConfig(value === undefined || typeof value === 'function', `\`${name}\` must be a function.`)
  }
  assertConfig(typeof keepAlive === 'boolean', '`keepAlive` must be true or false.')
  const key = keySource(options.apiKey, variable, guardKey)
  const baseUrl = address.href.replace(/\/$/, '')
  return {
    baseUrl,
    async call(call) {
      const url = 'url' in call.to ? call.to.url : `${baseUrl}${call.to.path}`
      const limits = resolveLimits(options, call.options)
      const headers = resolveHeaders(clientHeaders, call.options?.headers)
      if (agent) headers['user-agent'] = agent
      const { fetch, onEvent } = options
      const ownKey = call.withKey ? key : undefined
      return await sendCall({ ...call, ...limits, keepAlive, fetch, onEvent, headers, url, key: ownKey })
    },
  }
}
