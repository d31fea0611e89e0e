import type { BackOff } from '../call/back-off.ts'
import type { CallEventListener } from '../call/call-event.ts'
import type { Fetch } from '../call/exchange.ts'
import type { ApiKey } from './api-key.ts'
import type { Environment } from './environment.ts'

/** The limits of one call. */
export interface CallLimits {
  /**
   * Longest time of one attempt, its connection, headers and body, milliseconds. Default 30000.
   *
   * A time-out does not tell whether the connection stood, so it leaves the outcome of a submission unknown. Node
   * itself gives up connecting after 10 seconds, and then it is known that nothing was sent, which is retried:
   * a `timeoutMs` below that gives this knowledge away.
   */
  timeoutMs?: number | undefined
  /**
   * Longest time of the whole call, the `apiKey` function, retries and waits included, milliseconds. Default: none.
   * No wait is begun that would outlast it, and nothing is sent after it.
   */
  deadlineMs?: number | undefined
  /** How many times more a call is tried, where a repeat is safe. `0` means none. Default 2. */
  maxRetries?: number | undefined
}

/** What every single call takes. */
export interface CallOptions extends CallLimits {
  /** Ends the call; wins over every time-out. */
  signal?: AbortSignal | undefined
}

/** Where the service is: its base address, or the tenant and the service's domain (Spec 9). */
export type ServiceAddress =
  | {
      /** Base address with its version, such as `https://acme.example.com/api/v1`. */
      baseUrl: string | URL
      tenant?: never
      serviceDomain?: never
    }
  | {
      baseUrl?: never
      /** Subdomain of the account. `sandbox` is the sandbox (Spec 9). */
      tenant: string
      /** Domain of the service, such as `example.com`. */
      serviceDomain: string
    }

/** What both clients take besides the service's address. */
export interface SharedOptions extends CallLimits {
  /**
   * The API key: a text, a function that is asked before each call, or nothing, then it is read from the
   * environment at the first call. `null` leaves the environment unread.
   */
  apiKey?: ApiKey | undefined
  /**
   * What the base address is. Default: a loopback host and a host whose first label is `sandbox` are a
   * sandbox, every other is production. Say `sandbox` for one of your own at another name, and for one that takes
   * keys which do not begin with `sandbox_`.
   */
  environment?: Environment | undefined
  /** A `fetch` of one's own. Default: the runtime's, looked up at each call. */
  fetch?: Fetch | undefined
  /** Told of each attempt, reply, retry and failure. */
  onEvent?: CallEventListener | undefined
  /** The waits between attempts. */
  backOff?: BackOff | undefined
  /** Lets the client run in a page. A key does not belong there: every visitor can read it. Default false. */
  dangerouslyAllowBrowser?: boolean | undefined
}

/** What both clients take. */
export type ClientOptions = SharedOptions & ServiceAddress
