import { canonicalEvent } from '@lead-distribution/contract'
import { safeListener } from '@lead-distribution/sdk-core'
import { ConfigError } from '@lead-distribution/sdk-core/errors'
import { checkOptions, type Known, maxMs } from '@lead-distribution/sdk-core/options'
import { type CallbackClaims, createMemoryClaims } from './claims.ts'
import {
  type AssuranceOf,
  type CallbackEvent,
  type CallbackVerification,
  createVerifier,
  knownInVerifier,
  type VerifierOptions,
} from './verify-callback.ts'

/** Handles one callback. A returned promise is awaited and its value ignored. @inline */
type CallbackHandler<Event extends CallbackEvent> = (
  event: Event,
  context: {
    /** Aborted after `handleTimeoutMs`. Stop then: the service sends the callback again. */
    readonly signal: AbortSignal
  },
) => unknown

/**
 * The options of {@link createCallbackReceiver}. @interface
 * @category Options
 */
export type ReceiverOptions<Verification extends CallbackVerification> = {
  /**
   * Handles each event of a lead once. Return quickly or queue the work: see `handleTimeoutMs`. If it throws, the
   * response is a `500` and the service sends the callback again. If the process dies after the work but before the
   * claim is confirmed, the event is delivered again. A handler that requires a verified event does not compile on a
   * receiver that verifies less.
   */
  handle: CallbackHandler<CallbackEvent<AssuranceOf<Verification>>>
  /** The store of handled events. Default: in memory. */
  claims?: CallbackClaims | undefined
  /** Called with the HTTP status and the reason of each refused request; use it for logging. */
  onRefusal?: ((refusal: { status: number; reason: string }) => void) | undefined
  /**
   * Called with errors thrown by `handle`, `handleUnknownLead`, `isKnownLead` and `claims`. Default: `console.error`.
   * If `claims.confirm` fails, the response is still a `200`, and a repeat of the callback after the lease is handled
   * again.
   */
  onError?: ((error: unknown) => void) | undefined
  /**
   * Time limit for handling one callback, milliseconds. After that, the response is a `503` and the handler's `signal`
   * is aborted. Default 8000: the service itself stops waiting soon after (the sandbox after 10 s).
   */
  handleTimeoutMs?: number | undefined
  /**
   * Lease of an unconfirmed claim, milliseconds; at least `handleTimeoutMs`. If the process dies, or the handler
   * ignores its `signal` and takes longer, the first delivery after the lease is handled again. Default 30000.
   */
  leaseMs?: number | undefined
} & VerifierOptions<Verification> &
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
 * A function that receives a callback as a web `Request`. Its promise never rejects. Mount it as
 * `request => receive(request)`; in Hono as `c => receive(c.req.raw)`, in Deno as
 * `(request, info) => receive(request, { ip: info.remoteAddr.hostname })`.
 * @category Callbacks
 */
export type CallbackReceiver = (
  request: Request,
  peer?: {
    /** The sender's address. */
    ip?: string | undefined
    /** The request target as the service signed it, `/path?query`, if a proxy or a framework changed it. */
    target?: string | undefined
  },
) => Promise<Response>

/**
 * Creates a receiver for the service's callbacks: a function from a web `Request` to a `Response`. The status is `200`
 * for a handled callback, `404` for a wrong secret, `405`, `401`, `400` or `403` for a request that is not a callback,
 * `500` if the handler fails, and `503` if it takes too long or another delivery of the event is being handled. After a
 * `500` or `503` the service sends the callback again.
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
 * @category Callbacks
 */ // Spec 6.2
export function createCallbackReceiver<const Verification extends CallbackVerification>(
  options: ReceiverOptions<Verification>,
): CallbackReceiver {
  checkOptions('`createCallbackReceiver`', options, knownOptions)
  const verify = createVerifier(options)
  const handling = resolveHandling(options)
  const reportRefusal = safeListener(options.onRefusal)

  return async (request, peer = {}) => {
    try {
      const event = await verify(request, peer)
      if ('reason' in event) {
        reportRefusal(event)
        // The sender learns nothing but the status.
        return respondWith(event.status, 'refused', event.status === 405 ? { allow: 'GET' } : {})
      }
      const result = await handleInTime(event, handling)
      if (result !== 'busy') return respondWith(200, result)
      return respondWith(503, result, { 'retry-after': String(Math.ceil(handling.leaseMs / 1000)) })
    } catch (error) {
      handling.reportError(error)
      return respondWith(500, 'failed')
    }
  }
}

function respondWith(status: number, result: string, headers: Record<string, string> = {}): Response {
  return Response.json({ status: result }, { status, headers: { 'cache-control': 'no-store', ...headers } })
}

/** The receiver's options for handling events, with defaults applied. */
interface Handling<Event extends CallbackEvent> {
  claims: CallbackClaims
  handle: CallbackHandler<Event>
  isKnownLead: ((lead_id: string) => boolean | Promise<boolean>) | undefined
  handleUnknownLead: CallbackHandler<Event> | undefined
  handleTimeoutMs: number
  leaseMs: number
  reportError: (error: unknown) => void
}

/** Checks the options, also for plain JavaScript, and fills in the defaults. @throws ConfigError */
function resolveHandling<Verification extends CallbackVerification>(
  options: ReceiverOptions<Verification>,
): Handling<CallbackEvent<AssuranceOf<Verification>>> {
  const { claims = createMemoryClaims(), handle, handleUnknownLead, isKnownLead } = options
  const { handleTimeoutMs = 8_000, leaseMs = 30_000, onError = console.error } = options
  if (typeof handle !== 'function') throw new ConfigError('`handle` must be a function that handles the callbacks.')
  if (isKnownLead && !handleUnknownLead) {
    throw new ConfigError(
      'Set `handleUnknownLead` together with `isKnownLead`: a callback for an unknown lead may be genuine.',
    )
  }
  for (const name of ['claim', 'confirm', 'release'] as const) {
    if (typeof claims?.[name] !== 'function') throw new ConfigError(`\`claims\` must have a function \`${name}\`.`)
  }
  for (const [name, ms] of Object.entries({ handleTimeoutMs, leaseMs })) {
    if (!(Number.isInteger(ms) && ms >= 1 && ms <= maxMs)) {
      throw new ConfigError(`\`${name}\` must be a whole number of milliseconds from 1 to ${maxMs}.`)
    }
  }
  if (leaseMs < handleTimeoutMs) {
    throw new ConfigError(
      '`leaseMs` must be at least `handleTimeoutMs`: a claim must not expire before its handler is done.',
    )
  }
  const reportError = safeListener(onError)
  return { claims, handle, handleUnknownLead, isKnownLead, handleTimeoutMs, leaseMs, reportError }
}

/**
 * The result of a callback: `received` now, `ignored` as a repeat, `parked` for later, or `busy` until the lease
 * expires.
 */
type CallbackResult = 'received' | 'ignored' | 'parked' | 'busy'

/** Handles an event within the time limit. */
function handleInTime<Event extends CallbackEvent>(event: Event, handling: Handling<Event>): Promise<CallbackResult> {
  const { handleTimeoutMs, reportError } = handling
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
    handleOnce(event, over.signal, handling)
      // The response has already been sent after a time-out: later errors are only reported.
      .then(resolve, error => (over.signal.aborted ? reportError(error) : reject(error)))
      .finally(() => clearTimeout(timer))
  })
}

/**
 * Handles an event unless it was handled before. A concurrent repeat is `busy`, because the first delivery may still
 * fail.
 */
async function handleOnce<Event extends CallbackEvent>(
  event: Event,
  signal: AbortSignal,
  { claims, handle, handleUnknownLead, isKnownLead, leaseMs, reportError }: Handling<Event>,
): Promise<CallbackResult> {
  const { lead_id, rawEvent } = event
  if (isKnownLead && !(await isKnownLead(lead_id))) {
    await handleUnknownLead?.(event, { signal })
    return 'parked'
  }
  const claim = { lead_id, event: canonicalEvent(rawEvent), token: crypto.randomUUID(), leaseMs }
  /**
   * Confirms or releases the claim. If that fails, the claim expires with its lease, and the handler's result stands.
   */
  const settle = async (how: 'confirm' | 'release') => {
    try {
      await claims[how](claim)
    } catch (error) {
      reportError(error)
    }
  }
  const claimed: unknown = await claims.claim(claim)
  if (claimed === 'done') return 'ignored'
  if (claimed === 'busy') return 'busy'
  // Treating any other value as a repeat would silently lose every event.
  if (claimed !== 'claimed') throw new ConfigError("`claims.claim` must return 'claimed', 'busy' or 'done'.")
  try {
    await handle(event, { signal })
  } catch (error) {
    await settle('release')
    throw error
  }
  await settle('confirm')
  return 'received'
}
