import { ConfigError, safeListener } from '@lead-distribution/sdk-core/callbacks'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'
import { type CallbackClaims, createMemoryClaims } from './claims.ts'
import { createOnceHandler, type HandlingLimits, readyLimits } from './handle-once.ts'
import type { AssuranceOf, CallbackEvent, CallbackHandler, CallbackVerification } from './verification.ts'
import {
  type CallbackPeer,
  type CallbackRefusal,
  createVerifier,
  knownInVerifier,
  type VerifierOptions,
} from './verify-callback.ts'

/** Which leads the publisher has on record, and where callbacks of others go. */
export type LeadKnowledge<Event extends CallbackEvent> =
  | {
      /** Whether the publisher has this lead on record. */
      isKnownLead: (lead_id: string) => boolean | Promise<boolean>
      /**
       * Keeps a callback of a lead that is not on record. It may be genuine: the reply that carried the lead's id
       * may have been lost. It is acknowledged, and claims nothing, so this may see it twice.
       */
      handleUnknownLead: CallbackHandler<Event>
    }
  | { isKnownLead?: never; handleUnknownLead?: never }

/** What `createCallbackReceiver` takes. */
export type ReceiverOptions<Verification extends CallbackVerification> = {
  /**
   * Takes each event of each lead once. Be quick, or put it into a queue: see `handleTimeoutMs`. Where its process dies
   * after the work and before the claim is confirmed, it sees the event a second time. A handler that demands a verified
   * event does not compile on a receiver that verifies less.
   */
  handle: CallbackHandler<CallbackEvent<AssuranceOf<Verification>>>
  /** Remembers what was handled. Default: in memory. */
  claims?: CallbackClaims | undefined
  /** Called for each request that was refused, for logs. */
  onRefusal?: ((refusal: CallbackRefusal) => void) | undefined
  /** Called with errors of `handle`, `handleUnknownLead`, `isKnownLead` and `claims`, for logs. */
  onError?: ((error: unknown) => void) | undefined
} & VerifierOptions<Verification> &
  HandlingLimits &
  LeadKnowledge<CallbackEvent<AssuranceOf<Verification>>>

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
 * Receives callbacks. Never rejects. Servers of the web's `Request` take it as `request => receive(request)`: Hono's as
 * `c => receive(c.req.raw)`, Deno's as `(request, info) => receive(request, { ip: info.remoteAddr.hostname })`.
 */
export type CallbackReceiver = (request: Request, peer?: CallbackPeer) => Promise<Response>

/**
 * A receiver of the service's callbacks, from a web `Request` to a `Response`. It replies `200` to what
 * it took, `404` to a wrong secret, `405`, `401`, `400` and `403` to what is no callback, `500` where the handler failed,
 * and `503` where it has not ended: then the service sends the callback again.
 * @throws ConfigError the options do not say what a callback must prove, a secret is too short, or an option is unknown.
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
  if (typeof handle !== 'function') throw new ConfigError('`handle` must be a function: it takes the callbacks.')
  if (isKnownLead && !handleUnknownLead)
    throw new ConfigError('`isKnownLead` needs `handleUnknownLead`: a callback of an unknown lead may be genuine.')
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
    if (result !== 'busy') return reply(200, result)
    return reply(503, result, { 'retry-after': String(Math.ceil(limits.leaseMs / 1000)) })
  }

  function refuse({ status, reason }: CallbackRefusal): Response {
    reportRefusal({ status, reason })
    // The sender learns no more than the status.
    return reply(status, 'refused', status === 405 ? { allow: 'GET' } : {})
  }

  return async (request, peer = {}) => {
    try {
      return await receive(request, peer)
    } catch (error) {
      reportError(error)
      return reply(500, 'failed')
    }
  }
}

/** Code without types may still have the claims of a store that confirms nothing. @throws ConfigError */
function checkClaims(claims: CallbackClaims): void {
  for (const name of ['claim', 'confirm', 'release'] as const) {
    if (typeof claims?.[name] !== 'function') throw new ConfigError(`\`claims\` must have a function \`${name}\`.`)
  }
}

function reply(status: number, result: string, headers: Record<string, string> = {}): Response {
  return Response.json({ status: result }, { status, headers: { 'cache-control': 'no-store', ...headers } })
}
