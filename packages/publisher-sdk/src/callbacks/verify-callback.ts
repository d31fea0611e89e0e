import {
  canonicalEvent,
  canonicalUuid,
  convertedStatus,
  equalText,
  hasPort,
  type IpNetwork,
  isInNetwork,
  isSigningSecret,
  isUuid,
  type PixelEvent,
  pixelEvents,
  readIpAddress,
  readIpNetwork,
  signCallback,
} from '@lead-distribution/contract'
import { ConfigError } from '@lead-distribution/sdk-core/errors'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'
import { type CallbackRefusal, CallbackRefusedError } from './callback-refused-error.ts'
import { type CallbackRequest, readRequest } from './callback-request.ts'

/**
 * The proof that a callback is genuine. `signature`: signed with the shared secret. `url_secret`: the sender knows the
 * secret URL, which does not prove who the sender is. `none`: anyone may have sent it. @inline
 */
export type Assurance = 'signature' | 'url_secret' | 'none'

/** The event's canonical name, the same for both vocabularies of the specification. @inline */ // Spec 6.1
type CallbackEventName = PixelEvent | typeof convertedStatus

/**
 * A callback from the service.
 * @category Callbacks
 */ // Spec 6.2
export interface CallbackEvent<Proof extends Assurance = Assurance> {
  /** Id of the lead, a UUID in lower case. */
  readonly lead_id: string
  /**
   * The event's canonical name: `loan_issued` becomes `approved`. `unrecognized` if this version doesn't know the name.
   */
  readonly event: CallbackEventName | 'unrecognized'
  /** The event's name as received. */
  readonly rawEvent: string
  /** The proof that the callback is genuine. */
  readonly assurance: Proof
}

/**
 * A callback verified by a signature or a URL secret.
 * @category Callbacks
 */
export type VerifiedCallbackEvent = CallbackEvent<'signature' | 'url_secret'>

/** The check of signed callbacks, an extension of the sandbox that follows Standard Webhooks. @inline */
type SignatureVerification = {
  /** Signing secrets, `whsec_` followed by base64; several during a rotation. */
  readonly secrets: readonly string[]
  /**
   * Maximum difference between the timestamp and now, seconds. Default 300; `Infinity` if you move a sandbox's clock.
   */
  readonly toleranceSeconds?: number | undefined
  /** Returns the current time. Default: the system clock. */
  readonly now?: (() => Date) | undefined
}

/**
 * The proof that a callback must carry. `urlSecrets`: its path ends in one of these secrets, created by
 * `createCallbackUrl`. `signature`: it is signed. `'none'`: no proof; use it only if nothing depends on the callback.
 * @category Callbacks
 */
export type CallbackVerification =
  | { readonly urlSecrets: readonly string[]; readonly signature?: never }
  | { readonly urlSecrets?: readonly string[]; readonly signature: SignatureVerification }
  | 'none'

/** The assurance of the events that a verification lets through. @inline */
export type AssuranceOf<Verification extends CallbackVerification> = Verification extends 'none'
  ? 'none'
  : Verification extends { readonly signature: SignatureVerification }
    ? 'signature'
    : 'url_secret'

/** The options for verifying a callback. @inline */
export type VerifierOptions<Verification extends CallbackVerification> = {
  /** The proof that a callback must carry. */
  verify: Verification
  /**
   * IP addresses and networks that may send callbacks, such as `203.0.113.7` and `2001:db8::/32`. Requires the sender's
   * address, which `nodeCallbacks` passes; without it every request is refused.
   */
  allowedIps?: readonly string[] | undefined
}

/** The option names of every verifier. */
export const knownInVerifier = {
  verify: {
    urlSecrets: 1,
    signature: { secrets: 1, toleranceSeconds: 1, now: 1 } satisfies Known<SignatureVerification>,
  } satisfies Known<Exclude<CallbackVerification, 'none'>>,
  allowedIps: 1,
} satisfies Known<VerifierOptions<CallbackVerification>>

/** Facts about a request that the request itself doesn't show. @inline */
export type CallbackPeer = {
  /** The sender's address. */
  ip?: string | undefined
  /** The request target as the service signed it, `/path?query`, if a proxy or a framework changed it. */
  target?: string | undefined
}

const knownOptions = {
  ...knownInVerifier,
  ip: 1,
  target: 1,
} satisfies Known<VerifierOptions<CallbackVerification> & CallbackPeer>

/**
 * Verifies a callback and returns its event. Use it without a receiver: in functions, controllers or queues. It claims
 * nothing, so the same event may come again: handle each pair of `lead_id` and event once.
 * @param request A web `Request`, or a request from Express, Fastify, NestJS or `node:http`, or a similar object.
 * @throws CallbackRefusedError the request is not a trustworthy callback.
 * @throws ConfigError the request has no URL, `verify` is missing, a secret is too short, or an option is unknown.
 * @example
 * ```ts
 * import { verifyCallback } from '@lead-distribution/publisher-sdk/callbacks'
 *
 * const { lead_id, event } = await verifyCallback(request, { verify: { urlSecrets: [callbackSecret] } })
 * ```
 * @category Callbacks
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

/**
 * Creates a function that returns a request's event, or the reason why it is refused. @throws ConfigError an option is
 * invalid.
 */
export function createVerifier<const Verification extends CallbackVerification>({
  verify,
  allowedIps,
}: VerifierOptions<Verification>) {
  const { urlSecrets, signature, assurance } = resolveVerification(verify)
  const allowed = readAllowedIps(allowedIps)

  return async (
    received: CallbackRequest,
    peer: CallbackPeer,
  ): Promise<CallbackEvent<AssuranceOf<Verification>> | CallbackRefusal> => {
    const message = readRequest(received)
    if (!message) return { status: 400, reason: 'its target or its headers cannot be read' }
    const { headers, method, url: address } = message.request
    const url = new URL(address)
    const wrongSender = allowed && whyNotAllowed(peer.ip, allowed)
    if (wrongSender) return { status: 403, reason: wrongSender }
    if (urlSecrets && !hasSecret(url.pathname, urlSecrets))
      return { status: 404, reason: 'the secret in its path is wrong' }
    if (method !== 'GET') return { status: 405, reason: 'its method is not GET' }
    const target = peer.target ?? message.target ?? `${url.pathname}${url.search}`
    if (signature && !(await verifySignature(headers, target, signature)))
      return { status: 401, reason: 'its signature is missing, wrong or too old' }
    const event = readCallback(url.searchParams, assurance as AssuranceOf<Verification>)
    return typeof event === 'string' ? { status: 400, reason: event } : event
  }
}

/** Returns true if the last path segment is a secret. Ignores one trailing slash, which frameworks and proxies add. */
function hasSecret(path: string, secrets: readonly string[]): boolean {
  const given = path.replace(/\/$/, '').replace(/^.*\//, '')
  let found = false
  // No early exit: timing must not reveal which secret nearly matched.
  for (const secret of secrets) found = equalText(given, secret) || found
  return found
}

/** A verification after its check. */
interface ResolvedVerification {
  urlSecrets: readonly string[] | undefined
  signature: SignatureVerification | undefined
  assurance: Assurance
}

/** Checks a verification. @throws ConfigError it is incomplete; the message never repeats a secret. */
function resolveVerification(verification: CallbackVerification): ResolvedVerification {
  if (verification === 'none') return { urlSecrets: undefined, signature: undefined, assurance: 'none' }
  const { urlSecrets, signature } = verification ?? {}
  if (!urlSecrets && !signature) {
    throw new ConfigError("Set `verify` to `{ urlSecrets }` or `{ signature }`, or to 'none' to accept any request.")
  }
  if (urlSecrets && !isListOf(urlSecrets, secret => /^[\w-]{32,256}$/.test(secret))) {
    throw new ConfigError(
      '`urlSecrets` must be a list of one or more secrets of at least 32 URL-safe characters. Make them with `createCallbackUrl`.',
    )
  }
  if (signature && !isListOf(signature.secrets, isSigningSecret)) {
    throw new ConfigError(
      '`signature.secrets` must be a list of one or more secrets: `whsec_` and base64 of 24 to 64 bytes, without blanks.',
    )
  }
  const { toleranceSeconds = 300 } = signature ?? {}
  if (!(typeof toleranceSeconds === 'number' && toleranceSeconds >= 0)) {
    throw new ConfigError(
      '`signature.toleranceSeconds` must be a number of seconds of at least 0; `Infinity` accepts any time.',
    )
  }
  // Copied, because later changes to the lists would be unchecked.
  return {
    urlSecrets: urlSecrets && [...urlSecrets],
    signature: signature && { ...signature, secrets: [...signature.secrets] },
    assurance: signature ? 'signature' : 'url_secret',
  }
}

/** Returns true for a list if every item fits. A string, such as one secret from the environment, is not a list. */
function isListOf(list: unknown, fits: (each: string) => boolean): boolean {
  return Array.isArray(list) && list.length > 0 && list.every(fits)
}

/** Returns true if one of the secrets signed the request target within the tolerance. */
async function verifySignature(
  headers: Headers,
  target: string,
  { secrets, toleranceSeconds = 300, now = () => new Date() }: SignatureVerification,
): Promise<boolean> {
  const id = headers.get('webhook-id')
  const timestamp = headers.get('webhook-timestamp')
  const given = headers.get('webhook-signature')?.split(' ').slice(0, 16) ?? []
  if (!id || !timestamp || !/^\d{1,12}$/.test(timestamp)) return false
  if (!(Math.abs(now().getTime() / 1000 - Number(timestamp)) <= toleranceSeconds)) return false
  let signed = false
  for (const secret of secrets) {
    const expected = await signCallback({ secret, id, timestamp, target })
    for (const signature of given) signed = equalText(signature, expected) || signed
  }
  return signed
}

/**
 * Parses an allow list; a dual-stack socket writes IPv4 as `::ffff:203.0.113.7`. @throws ConfigError an entry is
 * invalid.
 */
function readAllowedIps(allowed: readonly string[] | undefined): IpNetwork[] | undefined {
  if (allowed === undefined) return undefined
  if (!Array.isArray(allowed) || !allowed.every(each => typeof each === 'string')) {
    throw new ConfigError("`allowedIps` must be a list of IP addresses and networks, such as ['203.0.113.0/24'].")
  }
  return allowed.map(each => {
    try {
      return readIpNetwork(each)
    } catch {
      const advice = hasPort(each)
        ? 'leave out its port'
        : 'write an IPv4 or IPv6 address, or a network such as 203.0.113.0/24'
      throw new ConfigError(`\`allowedIps\` contains \`${each.slice(0, 64)}\`, which matches no sender: ${advice}.`)
    }
  })
}

/** Returns the reason why a sender is refused; undefined if it is allowed. */
function whyNotAllowed(ip: string | undefined, allowed: readonly IpNetwork[]): string | undefined {
  if (!ip) return 'the address of its sender is unknown: pass it as `ip`'
  if (hasPort(ip)) return 'the address of its sender has a port: pass `ip` without it'
  const address = readIpAddress(ip)
  if (!address) return 'the address of its sender is not one IP address: pass one as `ip`'
  return allowed.some(network => isInNetwork(address, network)) ? undefined : 'its sender is not in `allowedIps`'
}

/** Reads a callback's query; returns the reason if it is invalid. */ // Spec 6.2
function readCallback<Proof extends Assurance>(
  query: URLSearchParams,
  assurance: Proof,
): CallbackEvent<Proof> | string {
  // Parsers treat repeated parameters differently: a check could see another value than the handler.
  for (const name of ['lead_id', 'event']) if (query.getAll(name).length > 1) return `\`${name}\` is repeated`
  const lead_id = query.get('lead_id') ?? ''
  const rawEvent = query.get('event') ?? ''
  if (!isUuid(lead_id)) return '`lead_id` is not a UUID'
  if (!/^[^\p{Cc}]{1,100}$/u.test(rawEvent)) return '`event` is missing or not an event name'
  const canonical = canonicalEvent(rawEvent)
  return {
    lead_id: canonicalUuid(lead_id),
    event: isKnownEvent(canonical) ? canonical : 'unrecognized',
    rawEvent,
    assurance,
  }
}

function isKnownEvent(name: string): name is CallbackEventName {
  return name === convertedStatus || (pixelEvents as readonly string[]).includes(name)
}
