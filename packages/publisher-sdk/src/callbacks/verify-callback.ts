import { docUrl } from '@lead-distribution/contract'
import { equalText } from '@lead-distribution/sdk-core/callbacks'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'
import { type CallbackRequest, readRequest } from './callback-message.ts'
import {
  type AssuranceOf,
  type CallbackEvent,
  type CallbackVerification,
  checkAllowedIps,
  isAllowed,
  knownInVerification,
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

/** What a callback must prove, and where it may come from. */
export interface VerifierOptions<Verification extends CallbackVerification> {
  /** What a callback must prove. */
  verify: Verification
  /**
   * Addresses that callbacks may come from: IPv4 addresses and networks (`203.0.113.0/24`), IPv6 addresses as the
   * runtime writes them. Needs the peer's address, which the adapters give; without it every request is refused.
   */
  allowedIps?: readonly string[] | undefined
}

/** The names of the options of every verifier. */
export const knownInVerifier = {
  verify: knownInVerification,
  allowedIps: 1,
} satisfies Known<VerifierOptions<CallbackVerification>>

/** What is known of a request besides the request. */
export interface CallbackPeer {
  /** Address of the sender. */
  ip?: string | undefined
  /** The request target as received, `/path?query`, where a proxy or a framework changed it. */
  target?: string | undefined
}

const knownOptions = {
  ...knownInVerifier,
  ip: 1,
  target: 1,
} satisfies Known<VerifierOptions<CallbackVerification> & CallbackPeer>

// Symbol.for, because two packages may carry two copies of this class, and then `instanceof` is false.
const brand: unique symbol = Symbol.for('@lead-distribution/callback-refused')

/**
 * A request is no callback that may be believed. Reply with `status` and no more: the sender should learn nothing.
 * @example
 * ```ts
 * import { CallbackRefusedError, verifyCallback } from '@lead-distribution/publisher-sdk/callbacks'
 *
 * async function replyTo(request: Request) {
 *   try {
 *     await store(await verifyCallback(request, { verify: { urlSecrets: [callbackSecret] } }))
 *     return new Response()
 *   } catch (error) {
 *     if (CallbackRefusedError.is(error)) return new Response(null, { status: error.status })
 *     throw error
 *   }
 * }
 * ```
 */
export class CallbackRefusedError extends Error implements CallbackRefusal {
  override readonly name = 'CallbackRefusedError'
  /** HTTP status of the reply: `404` for a wrong secret, `405`, `401`, `400` or `403`. */
  readonly status: number
  /** Why, in a few words, for logs. Holds nothing of the request. */
  readonly reason: string
  /** Readable across copies of the package. @hidden */
  get [brand](): true {
    return true
  }

  constructor({ status, reason }: CallbackRefusal) {
    super(`A callback was refused: ${reason}. Reply with ${status}.`)
    this.status = status
    this.reason = reason
  }

  /** The page of the documentation about this error. */
  get docUrl(): string {
    return docUrl('sdk', 'callback_refused')
  }

  /** Whether a caught value is this error, from any copy of the package. */
  static is(value: unknown): value is CallbackRefusedError {
    return Object(value)[brand] === true
  }
}

/**
 * The event of a callback, for code that has no place for a receiver: functions, controllers, queues. It claims nothing:
 * the same event may come again, so handle each pair of `lead_id` and event once.
 * @param request A web `Request`, what Express, Fastify, NestJS or `node:http` hand over or an object like it, or an event
 * of AWS Lambda: of a function URL, an HTTP API or a REST API.
 * @throws CallbackRefusedError the request is no callback that may be believed.
 * @throws ConfigError the request has no URL, the options do not say what a callback must prove, a secret is too short, or
 * an option is unknown.
 * @example
 * ```ts
 * import { verifyCallback } from '@lead-distribution/publisher-sdk/callbacks'
 *
 * const { lead_id, event } = await verifyCallback(request, { verify: { urlSecrets: [callbackSecret] } })
 * ```
 */
export async function verifyCallback<const Verification extends CallbackVerification>(
  request: CallbackRequest,
  options: VerifierOptions<Verification> & CallbackPeer,
): Promise<CallbackEvent<AssuranceOf<Verification>>> {
  checkOptions('`verifyCallback`', options, knownOptions)
  const verified = await createVerifier(options)(request, options)
  if ('reason' in verified) throw new CallbackRefusedError(verified)
  return verified
}

/** Reads the event of a request, or why it is refused. @throws ConfigError */
export function createVerifier<const Verification extends CallbackVerification>({
  verify,
  allowedIps,
}: VerifierOptions<Verification>) {
  const { urlSecrets, signature, assurance } = readyVerification(verify)
  checkAllowedIps(allowedIps)

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

  return async (
    given: CallbackRequest,
    peer: CallbackPeer,
  ): Promise<CallbackEvent<AssuranceOf<Verification>> | CallbackRefusal> => {
    const message = readRequest(given)
    if (!message) return { status: 400, reason: 'its target or its headers cannot be read' }
    const { request } = message
    const url = new URL(request.url)
    const refusal = await refusalOf(request, { ip: peer.ip, target: peer.target ?? message.target }, url)
    if (refusal) return refusal
    const event = readCallback(url.searchParams, assurance as AssuranceOf<Verification>)
    return typeof event === 'string' ? { status: 400, reason: event } : event
  }
}

function hasSecret(path: string, secrets: readonly string[]): boolean {
  const given = path.slice(path.lastIndexOf('/') + 1)
  let found = false
  // No early end: the time must not show which secret was near.
  for (const secret of secrets) found = equalText(given, secret) || found
  return found
}
