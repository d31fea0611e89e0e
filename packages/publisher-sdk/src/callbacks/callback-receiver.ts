import { canonicalEvent } from '@lead-distribution/contract'
import { safeListener } from '@lead-distribution/sdk-core'
import { ConfigError } from '@lead-distribution/sdk-core/errors'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'
import type { CallbackRefusal } from './callback-refused-error.ts'
import { type NodeRequest, readMessage } from './callback-request.ts'
import { type CallbackClaim, type CallbackClaims, createMemoryClaims } from './claims.ts'
import {
  type AssuranceOf,
  type CallbackEvent,
  type CallbackHandler,
  type CallbackPeer,
  type CallbackVerification,
  createVerifier,
  knownInVerifier,
  type VerifierOptions,
} from './verify-callback.ts'

/** The time limits of a callback and its claim. @inline */
type HandlingLimits = {
  /**
   * Time limit of a callback, milliseconds. When it is over, the response is a `503` and the handler's `signal` is
   * aborted. Default 8000, because the service stops waiting (its sandbox after 10 s).
   */
  handleTimeoutMs?: number | undefined
  /**
   * Lease of a claim that is not confirmed, milliseconds; at least `handleTimeoutMs`. If the process dies, or the handler
   * takes longer and ignores its `signal`, the first delivery after the lease is handled again. Default 30000.
   */
  leaseMs?: number | undefined
}

/** The options of {@link createCallbackReceiver}. @interface */
export type ReceiverOptions<Verification extends CallbackVerification> = {
  /**
   * Handles each event of each lead once. Be quick, or queue the work: see `handleTimeoutMs`. If the process dies after
   * the work but before the claim is confirmed, you get the event again. A handler that requires a verified event does
   * not compile on a receiver that verifies less.
   */
  handle: CallbackHandler<CallbackEvent<AssuranceOf<Verification>>>
  /** The store of handled events. Default: in memory. */
  claims?: CallbackClaims | undefined
  /** Called with the HTTP status and the reason of each refused request, for logs. */
  onRefusal?: ((refusal: { status: number; reason: string }) => void) | undefined
  /** Called with the errors of `handle`, `handleUnknownLead`, `isKnownLead` and `claims`, for logs. */
  onError?: ((error: unknown) => void) | undefined
} & VerifierOptions<Verification> &
  HandlingLimits &
  (
    | {
        /** Returns true if the publisher has this lead on record. */
        isKnownLead: (lead_id: string) => boolean | Promise<boolean>
        /**
         * Stores a callback for a lead that is not on record. It may be genuine: the reply with the lead's id may have been
         * lost. Such a callback is acknowledged but not claimed, so you may get it twice.
         */
        handleUnknownLead: CallbackHandler<CallbackEvent<AssuranceOf<Verification>>>
      }
    | { isKnownLead?: never; handleUnknownLead?: never }
  )

const knownOptions = {
  ...knownInVerifier,
  handle: 1,
  claims: 1,
  onRefusal: 1,
  onError: 1,
  handleTimeoutMs: 1,
  leaseMs: 1,
  isKnownLead: 1,
  handleUnknownLead: 1,
} satisfies Known<ReceiverOptions<CallbackVerification>>

/**
 * Receives a callback as a web `Request`. Never rejects. Mount it as `request => receive(request)`; in Hono as
 * `c => receive(c.req.raw)`, in Deno as `(request, info) => receive(request, { ip: info.remoteAddr.hostname })`.
 */
export type CallbackReceiver = (
  request: Request,
  peer?: {
    /** Address of the sender. */
    ip?: string | undefined
    /** The request target as received, `/path?query`, if a proxy or a framework changed it. */
    target?: string | undefined
  },
) => Promise<Response>

/**
 * Creates a receiver of the service's callbacks, which takes a web `Request` and returns a `Response`: `200` for a callback
 * that was handled, `404` for a wrong secret, `405`, `401`, `400` or `403` for a request that is not a callback, `500` if
 * the handler failed, and `503` if it has not finished. After a `500` or a `503` the service sends the callback again.
 * @throws ConfigError `verify` is missing, a secret is too short, or an option is unknown.
 * @example
 * ```ts
 * import { createCallbackReceiver } from '@lead-distribution/publisher-sdk/callbacks'
 *
 * const receive = createCallbackReceiver({
 *   verify: { urlSecrets: (process.env.CALLBACK_SECRETS ?? '').split(',') },
 *   handle: ({ lead_id, event }) => store({ lead_id, event }), // each event of a lead once
 * })
 * const response = await receive(request)
 * ```
 */ // Spec 6.2
export function createCallbackReceiver<const Verification extends CallbackVerification>(
  options: ReceiverOptions<Verification>,
): CallbackReceiver {
  type Event = CallbackEvent<AssuranceOf<Verification>>
  checkOptions('`createCallbackReceiver`', options, knownOptions)
  const { claims = createMemoryClaims(), handle, isKnownLead, handleUnknownLead } = options
  const verified = createVerifier(options)
  const limits = readyLimits(options)
  const reportRefusal = safeListener(options.onRefusal)
  const reportError = safeListener(options.onError)
  if (typeof handle !== 'function') throw new ConfigError('`handle` must be a function that handles the callbacks.')
  if (isKnownLead && !handleUnknownLead)
    throw new ConfigError(
      'Set `handleUnknownLead` together with `isKnownLead`: a callback for an unknown lead may be genuine.',
    )
  checkClaims(claims)
  const handleOnce = createOnceHandler<Event>({
    ...limits,
    claims,
    handle,
    isKnownLead,
    handleUnknownLead,
    reportError,
  })

  async function receive(request: Request, peer: CallbackPeer): Promise<Response> {
    const event = await verified(request, peer)
    if ('reason' in event) return refuse(event)
    const result = await handleOnce(event)
    if (result !== 'busy') return respondWith(200, result)
    return respondWith(503, result, { 'retry-after': String(Math.ceil(limits.leaseMs / 1000)) })
  }

  function refuse({ status, reason }: CallbackRefusal): Response {
    reportRefusal({ status, reason })
    // The sender learns nothing but the status.
    return respondWith(status, 'refused', status === 405 ? { allow: 'GET' } : {})
  }

  return async (request, peer = {}) => {
    try {
      return await receive(request, peer)
    } catch (error) {
      reportError(error)
      return respondWith(500, 'failed')
    }
  }
}

/** Checks the claims of code without types. @throws ConfigError a function is missing. */
function checkClaims(claims: CallbackClaims): void {
  for (const name of ['claim', 'confirm', 'release'] as const) {
    if (typeof claims?.[name] !== 'function') throw new ConfigError(`\`claims\` must have a function \`${name}\`.`)
  }
}

function respondWith(status: number, result: string, headers: Record<string, string> = {}): Response {
  return Response.json({ status: result }, { status, headers: { 'cache-control': 'no-store', ...headers } })
}

/** The longest delay of a timer, milliseconds. */
const longestMs = 2 ** 31 - 1

/** The limits with their defaults, milliseconds. */
interface ReadyLimits {
  handleTimeoutMs: number
  leaseMs: number
}

/** Completes and checks the limits. @throws ConfigError a limit is out of range. */
function readyLimits({ handleTimeoutMs = 8_000, leaseMs = 30_000 }: HandlingLimits): ReadyLimits {
  for (const [name, ms] of Object.entries({ handleTimeoutMs, leaseMs })) {
    if (!(Number.isInteger(ms) && ms >= 1 && ms <= longestMs)) {
      throw new ConfigError(`\`${name}\` must be a whole number of milliseconds from 1 to ${longestMs}.`)
    }
  }
  if (leaseMs < handleTimeoutMs) {
    throw new ConfigError(
      '`leaseMs` must be at least `handleTimeoutMs`: a claim must not expire before its handler is done.',
    )
  }
  return { handleTimeoutMs, leaseMs }
}

/** The result of a callback: handled now, handled before, stored for later, or to be sent again after the lease. */
type CallbackResult = 'received' | 'ignored' | 'parked' | 'busy'

/** The user's functions in the order of their calls: `isKnownLead` or `handleUnknownLead`, `claims`, `handle`. */
interface CallbackSteps<Event extends CallbackEvent> extends ReadyLimits {
  claims: CallbackClaims
  handle: CallbackHandler<Event>
  isKnownLead: ((lead_id: string) => boolean | Promise<boolean>) | undefined
  handleUnknownLead: CallbackHandler<Event> | undefined
  reportError: (error: unknown) => void
}

/** Handles each event of each lead once. A simultaneous repeat is `busy`: the first may still fail. */
function createOnceHandler<Event extends CallbackEvent>(steps: CallbackSteps<Event>) {
  const { claims, handleTimeoutMs, isKnownLead, leaseMs, reportError } = steps

  async function take(event: Event, signal: AbortSignal): Promise<CallbackResult> {
    if (isKnownLead && !(await isKnownLead(event.lead_id))) {
      await steps.handleUnknownLead?.(event, { signal })
      return 'parked'
    }
    const { lead_id, rawEvent } = event
    const claim = { lead_id, event: canonicalEvent(rawEvent), token: crypto.randomUUID(), leaseMs }
    const claimed: unknown = await claims.claim(claim)
    if (claimed === 'done') return 'ignored'
    if (claimed === 'busy') return 'busy'
    // Mistaking any other value for one of these would silently lose every event.
    if (claimed !== 'claimed') throw new ConfigError("`claims.claim` must return 'claimed', 'busy' or 'done'.")
    try {
      await steps.handle(event, { signal })
    } catch (error) {
      await settle('release', claim)
      throw error
    }
    await settle('confirm', claim)
    return 'received'
  }

  /** Confirms or releases a claim. If that fails, the claim ends with its lease, and the handler's result stands. */
  async function settle(how: 'confirm' | 'release', claim: CallbackClaim): Promise<void> {
    try {
      await claims[how](claim)
    } catch (error) {
      reportError(error)
    }
  }

  return (event: Event): Promise<CallbackResult> => {
    const over = new AbortController()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const error = new Error(
          `A callback took longer than \`handleTimeoutMs\` (${handleTimeoutMs} ms). Put slow work in a queue.`,
        )
        over.abort(error)
        reportError(error)
        resolve('busy')
      }, handleTimeoutMs)
      take(event, over.signal)
        // The response has been sent when the time is up: later errors are only reported.
        .then(resolve, error => (over.signal.aborted ? reportError(error) : reject(error)))
        .finally(() => clearTimeout(timer))
    })
  }
}

/** The parts of a response of `node:http` that are used; Express's response has them too. */
export interface NodeResponse {
  /** Writes the status and the headers. */
  writeHead(status: number, headers: Record<string, string>): unknown
  /** Ends the response. */
  end(body: string): unknown
}

/** Hands a request of `node:http` to a receiver and sends its response. Never rejects. */
export async function respond(
  receive: CallbackReceiver,
  request: NodeRequest,
  response: NodeResponse,
  ip: string | undefined,
): Promise<void> {
  const message = readMessage(request)
  const result = message
    ? await receive(message.request, { ip, target: message.target })
    : new Response(null, { status: 400 })
  try {
    response.writeHead(result.status, Object.fromEntries(result.headers))
    response.end(await result.text())
  } catch {
    // Something else has responded meanwhile, such as a middleware with a time limit.
  }
}
