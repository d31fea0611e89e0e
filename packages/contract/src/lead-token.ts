/**
 * The format of a postback URL's token. The specification says HMAC and leaves the rest open: ask the service's
 * operator.
 */ // Spec 5
export interface TokenFormat {
  /** The hash function of the HMAC, by its name in Web Crypto. */
  readonly hash: 'SHA-256' | 'SHA-384' | 'SHA-512'
  /** The separator between lead id and advertiser id, such as `:`. */
  readonly joiner: string
  /** The encoding of the signature. Hexadecimal is in lower case; `base64url` has no padding. */
  readonly encoding: 'hex' | 'base64' | 'base64url'
}

/** The default token format (open point 11). */
export const usualTokenFormat = { hash: 'SHA-256', joiner: ':', encoding: 'hex' } as const satisfies TokenFormat

/** The content of a token, and the secret. */ // Spec 5
export interface TokenSubject {
  /** The lead's id, in lower case. */
  readonly lead_id: string
  /** The advertiser's id, in the letter case in which it was issued. */
  readonly advertiser_id: string
  /** The secret shared with the advertiser. Its UTF-8 bytes are the key. */
  readonly postback_secret: string
}

const algorithm = 'HMAC'
const encoder = new TextEncoder()

/** Returns the signed token of a postback URL: an HMAC over lead id and advertiser id. */ // Spec 5; open point 11
export async function leadToken(subject: TokenSubject, format: TokenFormat): Promise<string> {
  return leadTokenWith(await tokenKey(subject.postback_secret, format.hash), subject, format)
}

/** Returns a lead's token, with an imported key: importing a key takes longer than signing. */
export async function leadTokenWith(
  key: TokenKey,
  { lead_id, advertiser_id }: Omit<TokenSubject, 'postback_secret'>,
  { joiner, encoding }: TokenFormat,
): Promise<string> {
  return encodeToken(await signToken(key, `${lead_id}${joiner}${advertiser_id}`), encoding)
}

type Subtle = typeof crypto.subtle

/** The part of Node's `process` that returns built-in modules without an import. */
interface ModuleSource {
  getBuiltinModule?(name: 'node:crypto'): { readonly webcrypto: { readonly subtle: Subtle } }
}

/** Returns Web Crypto. In a test environment with a DOM, `crypto` may lack `subtle`; then returns Node's. */
function subtle(): Subtle {
  const { crypto, process } = globalThis as { crypto?: { subtle?: Subtle }; process?: ModuleSource }
  const found = crypto?.subtle ?? process?.getBuiltinModule?.('node:crypto').webcrypto.subtle
  if (found) return found
  throw new Error(
    '`crypto.subtle` is missing. Browsers provide it only in a secure context: open the page over https, or on localhost.',
  )
}

/** A key of Web Crypto. Only browser types declare a global name for it. */
export type TokenKey = Awaited<ReturnType<Subtle['importKey']>>

/** Imports a secret as a key: the UTF-8 bytes of a text, or the bytes themselves. */
export async function tokenKey(secret: string | Uint8Array<ArrayBuffer>, hash: string): Promise<TokenKey> {
  const bytes = typeof secret === 'string' ? encoder.encode(secret) : secret
  return subtle().importKey('raw', bytes, { name: algorithm, hash }, false, ['sign'])
}

/** Signs a text's UTF-8 bytes. */
export async function signToken(key: TokenKey, content: string): Promise<Uint8Array> {
  return new Uint8Array(await subtle().sign(algorithm, key, encoder.encode(content)))
}

/** Returns the SHA-256 of a text's UTF-8 bytes. */
export async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await subtle().digest('SHA-256', encoder.encode(text)))
}

/** Encodes a signature as text. */
export function encodeToken(signature: Uint8Array, encoding: TokenFormat['encoding']): string {
  if (encoding === 'hex') return toHex(signature)
  const base64 = btoa(String.fromCharCode(...signature))
  return encoding === 'base64' ? base64 : base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Encodes bytes as lowercase hexadecimal, two digits each. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Compares two texts in a time that depends only on their lengths, so that the timing reveals nothing about a secret.
 */
export function equalText(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length
  for (let index = 0; index < expected.length; index += 1) {
    difference |= given.charCodeAt(index % (given.length || 1)) ^ expected.charCodeAt(index)
  }
  return difference === 0
}
