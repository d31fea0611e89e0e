import { ConfigError, isSigningSecret } from '@lead-distribution/sdk-core/callbacks'
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
