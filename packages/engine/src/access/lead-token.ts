import { equalText, toHex } from '@lead-distribution/contract'
import type { TokenFormat } from '../settings.ts'

/** What a pixel token is signed over and with (Spec 5). */
export interface TokenSubject {
  lead_id: string
  advertiser_id: string
  /** The secret shared with the advertiser; its UTF-8 bytes are the key. */
  postback_secret: string
}

const encoder = new TextEncoder()

/** The signed token of a postback URL: HMAC over lead id and advertiser id (Spec 5; point 11). */
export async function leadToken(subject: TokenSubject, format: TokenFormat): Promise<string> {
  const algorithm = { name: 'HMAC', hash: format.hash }
  const key = await crypto.subtle.importKey('raw', encoder.encode(subject.postback_secret), algorithm, false, ['sign'])
  const content = encoder.encode(`${subject.lead_id}${format.joiner}${subject.advertiser_id}`)
  const signature = new Uint8Array(await crypto.subtle.sign(algorithm.name, key, content))
  return format.encoding === 'hex' ? toHex(signature) : toBase64Url(signature)
}

/** The one of these subjects whose token it is; every one is compared, so that the time tells nothing. */
export async function findTokenSubject<Subject extends TokenSubject>(
  token: string,
  subjects: readonly Subject[],
  format: TokenFormat,
): Promise<Subject | undefined> {
  const tokens = await Promise.all(subjects.map(subject => leadToken(subject, format)))
  return subjects.filter((_, index) => equalText(token, tokens[index] ?? ''))[0]
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
