import { ipv4InRange, isIpv4Range } from '@lead-distribution/contract'
import { ConfigError, equalText, isSigningSecret, signCallback } from '@lead-distribution/sdk-core/callbacks'
import type { Assurance } from './callback-event.ts'

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
    typeof ip === 'string' && (isIpv4Range(rangeOf(ip)) || /^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(ip))
  if (allowed !== undefined && !(Array.isArray(allowed) && allowed.every(isAddress))) {
    throw new ConfigError(
      '`allowedIps` must be a list of IPv4 addresses, IPv4 networks such as 203.0.113.0/24, or IPv6 addresses.',
    )
  }
}

/** Whether an address is one of those that are allowed. A socket of both families writes IPv4 as `::ffff:203.0.113.7`. */
export function isAllowed(ip: string | undefined, allowed: readonly string[]): boolean {
  const address = ip?.replace(/^::ffff:(?=\d+\.)/i, '') ?? ''
  const isIpv4 = isIpv4Range(`${address}/32`)
  return allowed.some(each => (isIpv4 && !each.includes(':') ? ipv4InRange(address, rangeOf(each)) : each === address))
}

function rangeOf(allowed: string): string {
  return allowed.includes('/') ? allowed : `${allowed}/32`
}
