import {
  canonicalEvent,
  convertedStatus,
  ipv4InRange,
  isIpv4Range,
  isUuid,
  type PixelEvent,
  pixelEvents,
  readIpAddress,
} from '@lead-distribution/contract'
import { ConfigError, equalText, isSigningSecret, signCallback } from '@lead-distribution/sdk-core/callbacks'
import type { Known } from '@lead-distribution/sdk-core/options'

/** How signed callbacks are checked (an extension of the sandbox, after Standard Webhooks). */
export interface SignatureVerification {
  /** Signing secrets, `whsec_` and base64; several at once while one is rotated. */
  readonly secrets: readonly string[]
  /** How far the timestamp may be from now, seconds. Default 300. `Infinity` for a sandbox whose clock is moved. */
  readonly toleranceSeconds?: number | undefined
  /** What now is. Default: the system's clock. */
  readonly now?: (() => Date) | undefined
}

/**
 * What a callback must prove. `urlSecrets`: the last segment of its path is one of these, as `createCallbackUrl`
 * makes them. `signature`: it is signed. `'none'`: nothing; say so only where nothing depends on it.
 */
export type CallbackVerification =
  | { readonly urlSecrets: readonly string[]; readonly signature?: never }
  | { readonly urlSecrets?: readonly string[]; readonly signature: SignatureVerification }
  | 'none'

/** The names of a verification. */
export const knownInVerification = {
  urlSecrets: 1,
  signature: { secrets: 1, toleranceSeconds: 1, now: 1 } satisfies Known<SignatureVerification>,
} satisfies Known<Exclude<CallbackVerification, 'none'>>

/** How sure a receiver with this verification is. */
export type AssuranceOf<Verification extends CallbackVerification> = Verification extends 'none'
  ? 'none'
  : Verification extends { readonly signature: SignatureVerification }
    ? 'signature'
    : 'url_secret'

/** A verification made ready: what is left out is undefined. */
export interface ReadyVerification {
  urlSecrets: readonly string[] | undefined
  signature: SignatureVerification | undefined
  assurance: Assurance
}

/** Checks a verification before it is relied on. @throws ConfigError; no message repeats a secret. */
export function readyVerification(verification: CallbackVerification): ReadyVerification {
  if (verification === 'none') return { urlSecrets: undefined, signature: undefined, assurance: 'none' }
  const { urlSecrets, signature } = verification ?? {}
  if (!urlSecrets && !signature) {
    throw new ConfigError("Say what a callback must prove: `urlSecrets`, `signature`, or `'none'` outright.")
  }
  if (urlSecrets && !isListOf(urlSecrets, secret => /^[\w-]{32,256}$/.test(secret))) {
    throw new ConfigError(
      '`urlSecrets` must be a list of one or more secrets of at least 32 URL-safe characters. Make them with `createCallbackUrl`.',
    )
  }
  if (signature && !isListOf(signature.secrets, isSigningSecret)) {
    throw new ConfigError('`signature.secrets` must be a list of one or more texts of `whsec_` and base64.')
  }
  const { toleranceSeconds = 300 } = signature ?? {}
  if (!(typeof toleranceSeconds === 'number' && toleranceSeconds >= 0)) {
    throw new ConfigError(
      '`signature.toleranceSeconds` must be a number of seconds from 0; `Infinity` accepts any time.',
    )
  }
  return { urlSecrets, signature, assurance: signature ? 'signature' : 'url_secret' }
}

/** A text by itself is no list: `every` of the environment's one secret would be a bare TypeError. */
function isListOf(given: unknown, fits: (each: string) => boolean): boolean {
  return Array.isArray(given) && given.length > 0 && given.every(fits)
}

/** Whether a request target is signed by one of the secrets, at about this time. */
export async function verifySignature(
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

/** Refuses what no peer's address would ever equal. @throws ConfigError */
export function checkAllowedIps(allowed: readonly string[] | undefined): void {
  const isAddress = (ip: unknown) =>
    typeof ip === 'string' &&
    (isIpv4Range(rangeOf(ip)) || /^[0-9a-f.:]*$/i.test(ip)) &&
    readIpAddress(ip.split('/')[0] ?? '')
  if (allowed !== undefined && !(Array.isArray(allowed) && allowed.every(isAddress))) {
    throw new ConfigError(
      '`allowedIps` must be a list of IPv4 addresses, IPv4 networks such as 203.0.113.0/24, or IPv6 addresses.',
    )
  }
}

/**
 * Whether an address is one of those that are allowed, however either is written. A socket of both families writes IPv4
 * as `::ffff:203.0.113.7`.
 */
export function isAllowed(ip = '', allowed: readonly string[]): boolean {
  const ipv4 = ip.replace(/^::ffff:(?=\d+\.)/i, '')
  const address = readIpAddress(ip)?.join()
  return allowed.some(each =>
    each.includes('/') ? ipv4InRange(ipv4, each) : address !== undefined && readIpAddress(each)?.join() === address,
  )
}

function rangeOf(allowed: string): string {
  return allowed.includes('/') ? allowed : `${allowed}/32`
}

/**
 * How sure it is that a callback is genuine. `signature`: it was signed with the shared secret. `url_secret`:
 * its sender knows the URL, which proves knowledge of the URL, not authorship. `none`: anyone may have sent it.
 */
export type Assurance = 'signature' | 'url_secret' | 'none'

/** What happened to a lead, by the one name that both vocabularies of the specification come down to. */ // Spec 6.1
export type CallbackEventName = PixelEvent | typeof convertedStatus

/** A callback of the service. */ // Spec 6.2
export interface CallbackEvent<Sureness extends Assurance = Assurance> {
  /** Id of the lead, a UUID in lower case. */
  readonly lead_id: string
  /** What happened; `loan_issued` is `approved` here. `unrecognized`: a name that this version does not know. */
  readonly event: CallbackEventName | 'unrecognized'
  /** The name as it came. */
  readonly rawEvent: string
  /** How sure it is that the callback is genuine. */
  readonly assurance: Sureness
}

/** A callback whose sender proved something. */
export type VerifiedCallbackEvent = CallbackEvent<'signature' | 'url_secret'>

/** What a handler gets besides the event. */
export interface HandlingContext {
  /** Aborted when `handleTimeoutMs` is over: stop, for the service sends the callback again. */
  readonly signal: AbortSignal
}

/**
 * Takes one callback. A promise is waited for, and what it gives is not looked at. What it throws makes the reply a
 * `500`, and the service sends the callback again.
 */
export type CallbackHandler<Event extends CallbackEvent> = (event: Event, context: HandlingContext) => unknown

/** Reads the query of a callback. A text says what is wrong with it. */ // Spec 6.2
export function readCallback<Sureness extends Assurance>(
  query: URLSearchParams,
  assurance: Sureness,
): CallbackEvent<Sureness> | string {
  const names = [...query.keys()]
  // Two values of one name are read differently by different parsers: a check could see another value than the handler.
  if (new Set(names).size !== names.length) return 'a parameter is repeated'
  const lead_id = query.get('lead_id') ?? ''
  const rawEvent = query.get('event') ?? ''
  if (!isUuid(lead_id)) return '`lead_id` is not a UUID'
  if (!/^[^\p{Cc}]{1,100}$/u.test(rawEvent)) return '`event` is missing or no event name'
  const canonical = canonicalEvent(rawEvent)
  return {
    lead_id: lead_id.toLowerCase(),
    event: isKnownEvent(canonical) ? canonical : 'unrecognized',
    rawEvent,
    assurance,
  }
}

function isKnownEvent(name: string): name is CallbackEventName {
  return name === convertedStatus || (pixelEvents as readonly string[]).includes(name)
}
