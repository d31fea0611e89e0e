import { ConfigError, equalText, safeListener } from '@lead-distribution/sdk-core/callbacks'
import { type CallbackClaims, createMemoryClaims, createOnceHandler } from './claims.ts'
import {
  type AssuranceOf,
  type CallbackEvent,
  type CallbackHandler,
  type CallbackVerification,
  checkAllowedIps,
  isAllowed,
  readCallback,
  readyVerification,
  verifySignature,
} from './verification.ts'

/** Why a request was refused. Holds nothing of the request. */
export interface CallbackRefusal {
  /** HTTP status of the reply. */
  status: number
  /** Why, in a few words. */
  reason: string
}

/** Which leads the publisher has on record, and where callbacks of others go. */
export type LeadKnowledge<Event extends CallbackEvent> =
  | {
      /** Whether the publisher has this lead on record. */
      isKnownLead: (lead_id: string) => boolean | Promise<boolean>
      /**
       * Keeps a callback of a lead that is not on record. It may be genuine: the reply that carried the lead's id
       * may have been lost. It is acknowledged, and claims nothing, so this may see it twice.
       */
      park: CallbackHandler<Event>
    }
  | { isKnownLead?: never; park?: never }

/** What `createCallbackReceiver` takes. */
export type ReceiverOptions<Verification extends CallbackVerification> = {
  /** What a callback must prove. */
  verify: Verification
  /**
   * Takes each event of each lead once. Be quick, or put it into a queue: the service gives up waiting (its sandbox
   * after 10 s). A handler that demands a verified event does not compile on a receiver that verifies less.
   */
  handle: CallbackHandler<CallbackEvent<AssuranceOf<Verification>>>
  /** Remembers what was handled. Default: in memory. */
  claims?: CallbackClaims | undefined
  /**
   * Addresses that callbacks may come from: IPv4 addresses and networks (`203.0.113.0/24`), IPv6 addresses as the
   * runtime writes them. Needs the peer's address, which the adapters give; without it every request is refused.
   */
  allowedIps?: readonly string[] | undefined
  /** Called for each request that was refused, for logs. */
  onRefusal?: ((refusal: CallbackRefusal) => void) | undefined
  /** Called with errors of `handle`, `park`, `isKnownLead` and `claims`, for logs. */
  onError?: ((error: unknown) => void) | undefined
} & LeadKnowledge<CallbackEvent<AssuranceOf<Verification>>>

/** What an adapter knows of a request besides the request. */
export interface CallbackPeer {
  /** Address of the sender. */
  ip?: string | undefined
  /** The request target as received, `/path?query`, where a proxy or a framework changed it. */
  target?: string | undefined
}

/**
 * Receives callbacks. Never rejects. Servers of the web's `Request` take it as `request => receive(request)`: Hono's as
 * `c => receive(c.req.raw)`, Deno's as `(request, info) => receive(request, { ip: info.remoteAddr.hostname })`.
 */
export type CallbackReceiver = (request: Request, peer?: CallbackPeer) => Promise<Response>

/**
 * A receiver of the service's callbacks (Spec 6.2), from a web `Request` to a `Response`. It replies `200` to what
 * it took, `404` to a wrong secret, `405`, `401`, `400` and `403` to what is no callback, `500` where the handler failed.
 * @throws ConfigError the options do not say what a callback must prove, or a secret is too short.
 */
export function createCallbackReceiver<const Verification extends CallbackVerification>(
  options: ReceiverOptions<Verification>,
): CallbackReceiver {
  type Event = CallbackEvent<AssuranceOf<Verification>>
  const { urlSecrets, signature, assurance } = readyVerification(options.verify)
  const { allowedIps, claims = createMemoryClaims(), handle, isKnownLead, park } = options
  const reportRefusal = safeListener(options.onRefusal)
  const reportError = safeListener(options.onError)
  if (typeof handle !== 'function') throw new ConfigError('`handle` must be a function: it takes the callbacks.')
  if (isKnownLead && !park)
    throw new ConfigError('`isKnownLead` needs `park`: a callback of an unknown lead may be genuine.')
  checkAllowedIps(allowedIps)
  const handleOnce = createOnceHandler<Event>({ claims, handle, isKnownLead, park, reportError })

  async function refusalOf(request: Request, peer: CallbackPeer, url: URL): Promise<CallbackRefusal | undefined> {
    if (allowedIps && !isAllowed(peer.ip, allowedIps)) {
      return { status: 403, reason: `the address it came from is not ${peer.ip ? 'allowed' : 'known: pass it on'}` }
    }
    if (urlSecrets && !hasSecret(url.pathname, urlSecrets))
      return { status: 404, reason: 'the secret in its path is wrong' }
    if (request.method !== 'GET') return { status: 405, reason: 'it is no GET' }
    const target = peer.target ?? `${url.pathname}${url.search}`
    if (signature && !(await verifySignature(request.headers, target, signature))) {
      return { status: 401, reason: 'its signature is missing, wrong, or too old' }
    }
    return undefined
  }

  async function receive(request: Request, peer: CallbackPeer): Promise<Response> {
    const url = new URL(request.url)
    const refusal = await refusalOf(request, peer, url)
    if (refusal) return refuse(refusal)
    const event = readCallback(url.searchParams, assurance as AssuranceOf<Verification>)
    if (typeof event === 'string') return refuse({ status: 400, reason: event })
    return reply(200, await handleOnce(event))
  }

  function refuse(refusal: CallbackRefusal): Response {
    reportRefusal(refusal)
    // The sender learns no more than the status.
    return reply(refusal.status, 'refused', refusal.status === 405 ? { allow: 'GET' } : {})
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

function hasSecret(path: string, secrets: readonly string[]): boolean {
  const given = path.slice(path.lastIndexOf('/') + 1)
  let found = false
  // No early end: the time must not show which secret was near.
  for (const secret of secrets) found = equalText(given, secret) || found
  return found
}

function reply(status: number, result: string, headers: Record<string, string> = {}): Response {
  return Response.json({ status: result }, { status, headers: { 'cache-control': 'no-store', ...headers } })
}
