import type { CallOptions } from '../call/call.ts'
import type { CallEventListener } from '../call/call-events.ts'
import { type BackOff, isDuration, longestMs } from '../call/retry.ts'
import type { Fetch } from '../call/send-request.ts'
import { assertConfig } from '../errors/config-error.ts'
import type { ApiKey } from './api-key.ts'
import type { Known } from './known-options.ts'
import type { AppInfo, RequestHeaders } from './request-headers.ts'
import type { Environment, ServiceAddress } from './service-address.ts'

type CallLimits = Pick<CallOptions, 'timeoutMs' | 'deadlineMs' | 'maxRetries'>

/** The options of both clients, except for the address of the service. */
export interface ClientOptions extends CallLimits {
  /**
   * The API key: a string, or a function that the client calls before each call. By default the client reads the key
   * from the environment at the first call; `null` ignores the environment.
   */
  apiKey?: ApiKey | undefined
  /**
   * The environment of the base address. By default, a loopback host and a host whose first label is `sandbox` are a
   * sandbox, and any other host is production. Set `sandbox` for a sandbox of your own under another name, or if its keys
   * don't begin with `sandbox_`.
   */
  environment?: Environment | undefined
  /**
   * Additional headers of every call, such as `x-sandbox-scenario`. You cannot set the SDK's own (`apikey`, `accept`,
   * `content-type`, `user-agent`, `x-request-id`) or those of framing and connection (`host`, `connection`,
   * `transfer-encoding` …).
   */
  headers?: RequestHeaders | undefined
  /** Your application, for the `User-Agent`. */
  appInfo?: AppInfo | undefined
  /** A custom `fetch`. Default: the runtime's, looked up at each call. */
  fetch?: Fetch | undefined
  /** Called at each attempt, response, retry, failure and warning. */
  onEvent?: CallEventListener | undefined
  /** The waits between attempts. */
  backOff?: BackOff | undefined
  /** Allows the client to run in a page, where every visitor can read the API key. Default false. */
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
  appInfo: { name: 1, version: 1, url: 1 } satisfies Known<AppInfo>,
  fetch: 1,
  onEvent: 1,
  backOff: { minDelayMs: 1, maxDelayMs: 1, maxRetryAfterMs: 1 } satisfies Known<BackOff>,
  dangerouslyAllowBrowser: 1,
} satisfies Known<ClientOptions>

/** The names of the parts of the service's address. */
export const knownInAddress = { baseUrl: 1, tenant: 1, serviceDomain: 1 } satisfies Known<ServiceAddress>

/** Copies options and the plain objects in them, so that later changes have no effect. */
export function copyOptions<Options extends object>(given: Options): Options {
  return Object.fromEntries(Object.entries(given ?? {}).map(([name, value]) => [name, copyOf(value)])) as Options
}

function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  // A URL.
  if ('href' in value) return String(value)
  const prototype = Object.getPrototypeOf(value)
  // Plain in any realm. Anything else is its owner's, such as an AbortSignal.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
  return isPlain ? { ...value } : value
}

/** Merges changes into the options of a client, `headers` by name. */
export function changedOptions<Options extends ClientOptions>(options: Options, changes: ClientOptions): Options {
  return { ...options, ...changes, headers: { ...options.headers, ...changes?.headers } }
}

/** The limits of a call with their defaults. */
export type Limits = ReturnType<typeof resolveLimits>

/**
 * Resolves the limits of a call: its own, else the client's, else the defaults.
 * @throws ConfigError a limit is out of range, or the signal is not an AbortSignal.
 */
export function resolveLimits(client: CallLimits, options?: CallOptions) {
  // A caller without types may pass null.
  const call: CallOptions = options ?? {}
  const { signal } = call
  const timeoutMs = call.timeoutMs ?? client.timeoutMs ?? 30_000
  const deadlineMs = call.deadlineMs ?? client.deadlineMs ?? Number.POSITIVE_INFINITY
  const maxRetries = call.maxRetries ?? client.maxRetries ?? 2
  assertConfig(
    timeoutMs && isDuration(timeoutMs),
    `\`timeoutMs\` must be a number of milliseconds from 1 to ${longestMs}.`,
  )
  assertConfig(
    deadlineMs && isDuration(deadlineMs, deadlineMs),
    '`deadlineMs` must be a positive number of milliseconds.',
  )
  assertConfig(Number.isInteger(maxRetries) && maxRetries >= 0, '`maxRetries` must be an integer of at least 0.')
  assertConfig(!signal || typeof signal.addEventListener === 'function', '`signal` must be an AbortSignal.')
  return { signal, timeoutMs, deadlineMs, maxRetries }
}
