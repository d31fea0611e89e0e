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
 * The proof that a callback is genuine. `signature`: it was signed with the shared secret. `url_secret`: its sender knows
 * the URL, which does not prove who the sender is. `none`: anyone may have sent it. @inline
 */
export type Assurance = 'signature' | 'url_secret' | 'none'

/** The event's canonical name, which both vocabularies of the specification map to. @inline */ // Spec 6.1
type CallbackEventName = PixelEvent | typeof convertedStatus

/**
 * A callback of the service.
 * @category Callbacks
 */ // Spec 6.2
export interface CallbackEvent<Proof extends Assurance = Assurance> {
  /** Id of the lead, a UUID in lower case. */
  readonly lead_id: string
  /** The event's canonical name: `loan_issued` is `approved` here. `unrecognized`: a name this version doesn't know. */
  readonly event: CallbackEventName | 'unrecognized'
  /** The event's name as received. */
  readonly rawEvent: string
  /** The proof that the callback is genuine. */
  readonly assurance: Proof
}

/**
 * A callback that was verified by a signature or a secret URL.
 * @category Callbacks
 */
export type VerifiedCallbackEvent = CallbackEvent<'signature' | 'url_secret'>

/** The check of signed callbacks, an extension of the sandbox after Standard Webhooks. @inline */
type SignatureVerification = {
  /** Signing secrets, `whsec_` and base64; several during a rotation. */
  readonly secrets: readonly string[]
  /** Largest difference between the timestamp and now, seconds. Default 300; `Infinity` if you move a sandbox's clock. */
  readonly toleranceSeconds?: number | undefined
  /** Returns the current time. Default: the system clock. */
  readonly now?: (() => Date) | undefined
}

/**
 * The proof that a callback must carry. `urlSecrets`: the last segment of its path is one of these secrets, made by
 * `createCallbackUrl`. `signature`: it is signed. `'none'`: no proof; use it only if nothing depends on the callback.
 * @category Callbacks
 */
export type CallbackVerification =
  | { readonly urlSecrets: readonly string[]; readonly signature?: never }
  | { readonly urlSecrets?: readonly string[]; readonly signature: SignatureVerification }
  | 'none'

/** The proof that the events of a verification carry. @inline */
export type AssuranceOf<Verification extends CallbackVerification> = Verification extends 'none'
  ? 'none'
  : Verification extends { readonly signature: SignatureVerification }
    ? 'signature'
    : 'url_secret'

/** The options that verify a callback. @inline */
export type VerifierOptions<Verification extends CallbackVerification> = {
  /** The proof that a callback must carry. */
  verify: Verification
  /**
   * Addresses and networks that callbacks may come from, such as `203.0.113.7` and `2001:db8::/32`. Requires the address of
   * the sender, which `nodeCallbacks` passes; without it every request is refused.
   */
  allowedIps?: readonly string[] | undefined
}

/** The names of the options of every verifier. */
export const knownInVerifier = {
  verify: {
    urlSecrets: 1,
    signature: { secrets: 1, toleranceSeconds: 1, now: 1 } satisfies Known<SignatureVerification>,
  } satisfies Known<Exclude<CallbackVerification, 'none'>>,
  allowedIps: 1,
} satisfies Known<VerifierOptions<CallbackVerification>>

/** The facts about a request that the request itself doesn't show. @inline */
export type CallbackPeer = {
  /** Address of the sender. */
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
 * Verifies a callback and returns its event, for code without a receiver: functions, controllers, queues. It claims
 * nothing: the same event may come again, so handle each pair of `lead_id` and event once.
 * @param request A web `Request`, or a request of Express, Fastify, NestJS or `node:http` or an object like it.
 * @throws CallbackRefusedError the request is not a callback that you can trust.
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

/** Creates a function that returns the event of a request, or why it is refused. @throws ConfigError an option is wrong. */
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

/** Returns true if the last segment of a path is a secret. A slash at the end is none of it: frameworks and proxies add one. */
function hasSecret(path: string, secrets: readonly string[]): boolean {
  const given = path.replace(/\/$/, '').replace(/^.*\//, '')
  let found = false
  // No early exit: the time must not reveal which secret was close.
  for (const secret of secrets) found = equalText(given, secret) || found
  return found
}

/** A checked verification. */
interface ResolvedVerification {
  urlSecrets: readonly string[] | undefined
  signature: SignatureVerification | undefined
  assurance: Assurance
}

/** Checks a verification. @throws ConfigError it is incomplete; no message repeats a secret. */
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
  // Copies: later changes of the lists are unchecked.
  return {
    urlSecrets: urlSecrets && [...urlSecrets],
    signature: signature && { ...signature, secrets: [...signature.secrets] },
    assurance: signature ? 'signature' : 'url_secret',
  }
}

/** Returns true for a list whose items all fit. A string, such as one secret of the environment, is not a list. */
function isListOf(list: unknown, fits: (each: string) => boolean): boolean {
  return Array.isArray(list) && list.length > 0 && list.every(fits)
}

/** Returns true if a request target was signed with one of the secrets within the tolerance. */
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

/** Reads an allow list; a dual-stack socket writes IPv4 as `::ffff:203.0.113.7`. @throws ConfigError an entry is no network. */
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

/** Returns why a sender is refused; undefined if it is allowed. */
function whyNotAllowed(ip: string | undefined, allowed: readonly IpNetwork[]): string | undefined {
  if (!ip) return 'the address of its sender is unknown: pass it as `ip`'
  if (hasPort(ip)) return 'the address of its sender has a port: pass `ip` without it'
  const address = readIpAddress(ip)
  if (!address) return 'the address of its sender is not one IP address: pass one as `ip`'
  return allowed.some(network => isInNetwork(address, network)) ? undefined : 'its sender is not in `allowedIps`'
}

/** Reads the query of a callback; returns the reason if it is wrong. */ // Spec 6.2
function readCallback<Proof extends Assurance>(
  query: URLSearchParams,
  assurance: Proof,
): CallbackEvent<Proof> | string {
  // Parsers read a repeated parameter differently, so a check could see another value than the handler.
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
