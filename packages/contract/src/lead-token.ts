/**
 * The format of a postback URL's token. The specification names HMAC and leaves the rest open: ask the operator of the
 * service.
 */ // Spec 5
export interface TokenFormat {
  /** The hash function of the HMAC, by its name in Web Crypto. */
  readonly hash: 'SHA-256' | 'SHA-384' | 'SHA-512'
  /** The separator between lead id and advertiser id, such as `:`. */
  readonly joiner: string
  /** The encoding of the signature. Hexadecimal digits are in lower case; `base64url` has no padding. */
  readonly encoding: 'hex' | 'base64' | 'base64url'
}

/** The default format of a token (open point 11). */
export const usualTokenFormat = { hash: 'SHA-256', joiner: ':', encoding: 'hex' } as const satisfies TokenFormat

/** The content of a token and its secret. */ // Spec 5
export interface TokenSubject {
  /** Id of the lead, in lower case. */
  readonly lead_id: string
  /** Id of the advertiser, in the letter case that it was issued in. */
  readonly advertiser_id: string
  /** The secret shared with the advertiser; its UTF-8 bytes are the key. */
  readonly postback_secret: string
}

const algorithm = 'HMAC'
const encoder = new TextEncoder()

/** Returns the signed token of a postback URL: HMAC over lead id and advertiser id. */ // Spec 5; open point 11
export async function leadToken(subject: TokenSubject, format: TokenFormat): Promise<string> {
  return leadTokenWith(await tokenKey(subject.postback_secret, format.hash), subject, format)
}

/** Returns the token of a lead, with a key that is already imported: importing it takes longer than signing. */
export async function leadTokenWith(
  key: TokenKey,
  { lead_id, advertiser_id }: Omit<TokenSubject, 'postback_secret'>,
  { joiner, encoding }: TokenFormat,
): Promise<string> {
  return encodeToken(await signToken(key, `${lead_id}${joiner}${advertiser_id}`), encoding)
}

type Subtle = typeof crypto.subtle

/** The part of Node's `process` that hands out its modules without an import. */
interface ModuleSource {
  getBuiltinModule?(name: 'node:crypto'): { readonly webcrypto: { readonly subtle: Subtle } }
}

/** Returns Web Crypto. In a test environment with a DOM, `crypto` may be one without `subtle`: there it is Node's. */
function subtle(): Subtle {
  const { crypto, process } = globalThis as { crypto?: { subtle?: Subtle }; process?: ModuleSource }
  const found = crypto?.subtle ?? process?.getBuiltinModule?.('node:crypto').webcrypto.subtle
  if (found) return found
  throw new Error(
    '`crypto.subtle` is missing. Browsers have it in a secure context: open the page by https, or at localhost.',
  )
}

/** A key of Web Crypto. Only the types of browsers have a global name for it. */
export type TokenKey = Awaited<ReturnType<Subtle['importKey']>>

/** Returns the key of a secret: the UTF-8 bytes of a text, or the bytes themselves. */
export async function tokenKey(secret: string | Uint8Array<ArrayBuffer>, hash: string): Promise<TokenKey> {
  const bytes = typeof secret === 'string' ? encoder.encode(secret) : secret
  return subtle().importKey('raw', bytes, { name: algorithm, hash }, false, ['sign'])
}

/** Returns the signature of a text's UTF-8 bytes. */
export async function signToken(key: TokenKey, content: string): Promise<Uint8Array> {
  return new Uint8Array(await subtle().sign(algorithm, key, encoder.encode(content)))
}

/** Returns the SHA-256 of a text's UTF-8 bytes. */
export async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await subtle().digest('SHA-256', encoder.encode(text)))
}

/** Returns a signature as text. */
export function encodeToken(signature: Uint8Array, encoding: TokenFormat['encoding']): string {
  if (encoding === 'hex') return toHex(signature)
  const base64 = btoa(String.fromCharCode(...signature))
  return encoding === 'base64' ? base64 : base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Returns bytes as hexadecimal digits, two each, in lower case. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

/** Compares two texts in a time that depends only on their lengths, so that timing reveals nothing about a secret. */
export function equalText(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length
  for (let index = 0; index < expected.length; index += 1) {
    difference |= given.charCodeAt(index % (given.length || 1)) ^ expected.charCodeAt(index)
  }
  return difference === 0
}
