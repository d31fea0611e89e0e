import type { CallEventListener } from '../call/call-events.ts'
import { type BackOff, isDuration, longestMs } from '../call/retry.ts'
import type { Fetch } from '../call/send-request.ts'
import { assertConfig } from '../errors/unsent-errors.ts'
import type { ApiKey } from './api-key.ts'
import type { Known } from './known-options.ts'
import type { AppInfo, RequestHeaders } from './request-headers.ts'
import type { Environment, ServiceAddress } from './service-address.ts'

/** The limits of one call. */
export interface CallLimits {
  /**
   * Longest time of one attempt, its connection, headers and body, milliseconds. Default 30000.
   *
   * Node reports whether the connection was established: if not, nothing was sent, and the SDK retries. Other runtimes
   * do not report it, so a time-out leaves the outcome of a submission unknown there.
   */
  timeoutMs?: number | undefined
  /**
   * Longest time of the whole call, the `apiKey` function, retries and waits included, milliseconds. Default: none.
   * The client begins no wait that would outlast it, and sends nothing after it.
   */
  deadlineMs?: number | undefined
  /** How many times more a call is tried, where a repeat is safe. `0` means none. Default 2. */
  maxRetries?: number | undefined
}

/** What every single call takes. */
export interface CallOptions extends CallLimits {
  /** Ends the call; wins over every time-out. */
  signal?: AbortSignal | undefined
  /** More headers of this call; they win over the client's. */
  headers?: RequestHeaders | undefined
}

/** What both clients take besides the service's address. */
export interface SharedOptions extends CallLimits {
  /**
   * The API key: a text, a function that the client calls before each call, or nothing: then the client reads it
   * from the environment at the first call. `null` leaves the environment unread.
   */
  apiKey?: ApiKey | undefined
  /**
   * What the base address is. Default: a loopback host and a host whose first label is `sandbox` are a
   * sandbox, every other is production. Set `sandbox` for your own sandbox at another name, and for one whose keys do
   * not begin with `sandbox_`.
   */
  environment?: Environment | undefined
  /**
   * More headers of every call, such as `x-sandbox-scenario`. The SDK's own (`apikey`, `accept`, `content-type`,
   * `user-agent`, `x-request-id`) and those of framing and connection (`host`, `connection`, `transfer-encoding` …)
   * cannot be set.
   */
  headers?: RequestHeaders | undefined
  /** Your application, for the `User-Agent`. */
  appInfo?: AppInfo | undefined
  /** A custom `fetch`. Default: the runtime's, looked up at each call. */
  fetch?: Fetch | undefined
  /** Called at each attempt, reply, retry, failure and warning. */
  onEvent?: CallEventListener | undefined
  /** The waits between attempts. */
  backOff?: BackOff | undefined
  /** Allows the client in a page. A key does not belong there: every visitor can read it. Default false. */
  dangerouslyAllowBrowser?: boolean | undefined
}

/** What both clients take. */
export type ClientOptions = SharedOptions & ServiceAddress

const limits = { timeoutMs: 1, deadlineMs: 1, maxRetries: 1 } satisfies Known<CallLimits>

/** The names of the options of every single call. */
export const knownInCalls = { ...limits, signal: 1, headers: 1 } satisfies Known<CallOptions>

/** The names of the options that `withOptions` of both clients changes. */
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
} satisfies Known<SharedOptions>

/** The names of the service's address. */
export const knownInAddress = { baseUrl: 1, tenant: 1, serviceDomain: 1 } satisfies Known<ServiceAddress>

/** The options of a client with some changed; of `headers`, those that are named. */
export function changedOptions<Options extends SharedOptions>(options: Options, changes: SharedOptions): Options {
  return { ...options, ...changes, headers: { ...options.headers, ...changes?.headers } }
}

/** The limits of a call, complete. */
export type Limits = ReturnType<typeof resolveLimits>

/**
 * The limits of a call: its own over the client's over the defaults.
 * @throws ConfigError where a limit is no sensible number, or the signal is none.
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
    '`deadlineMs` must be a number of milliseconds above 0.',
  )
  assertConfig(Number.isInteger(maxRetries) && maxRetries >= 0, '`maxRetries` must be an integer from 0.')
  assertConfig(!signal || typeof signal.addEventListener === 'function', '`signal` must be an AbortSignal.')
  return { signal, timeoutMs, deadlineMs, maxRetries }
}
