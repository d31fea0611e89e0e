import { ConfigError, equalText, safeListener } from '@lead-distribution/sdk-core/callbacks'
import { checkAllowedIps, isAllowed } from './allowed-ips.ts'
import type { CallbackEvent } from './callback-event.ts'
import { createMemoryClaims } from './claims.ts'
import { createOnceHandler } from './handle-once.ts'
import { readCallback } from './read-callback.ts'
import type { CallbackPeer, CallbackReceiver, CallbackRefusal, ReceiverOptions } from './receiver-options.ts'
import { type AssuranceOf, type CallbackVerification, readyVerification } from './verification.ts'
import { verifySignature } from './verify-signature.ts'

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
  const tellRefusal = safeListener(options.onRefusal)
  const tellError = safeListener(options.onError)
  if (typeof handle !== 'function') throw new ConfigError('`handle` must be a function: it takes the callbacks.')
  if (isKnownLead && !park)
    throw new ConfigError('`isKnownLead` needs `park`: a callback of an unknown lead may be genuine.')
  checkAllowedIps(allowedIps)
  const handleOnce = createOnceHandler<Event>({ claims, handle, isKnownLead, park, tellError })

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
    tellRefusal(refusal)
    // Whoever asks learns no more than the status.
    return reply(refusal.status, 'refused', refusal.status === 405 ? { allow: 'GET' } : {})
  }

  return async (request, peer = {}) => {
    try {
      return await receive(request, peer)
    } catch (error) {
      tellError(error)
      return reply(500, 'failed')
    }
  }
}

function hasSecret(path: string, secrets: readonly string[]): boolean {
  const given = path.slice(path.lastIndexOf('/') + 1)
  let found = false
  // No early end: the time must not tell which secret was near.
  for (const secret of secrets) found = equalText(given, secret) || found
  return found
}

function reply(status: number, word: string, headers: Record<string, string> = {}): Response {
  return Response.json({ status: word }, { status, headers: { 'cache-control': 'no-store', ...headers } })
}
