import { toHex } from '@lead-distribution/contract'
import type { Advertiser, TokenFormat } from '@lead-distribution/engine'

/** How a token was made that is not made as the account makes it. */
export interface TokenMaking {
  readonly advertiser: Advertiser
  /** What differs from the account's format, each as a part of a sentence. */
  readonly deviations: readonly string[]
}

/** The bytes that each hash signs with: a token's length tells which of them it may be. */
const hashes = { 'SHA-1': 20, 'SHA-256': 32, 'SHA-384': 48, 'SHA-512': 64 } as const
const joiners = ['', ':', '.', '|', '-', '_', '/', ',', ';', ' ']
const encoder = new TextEncoder()

/**
 * How one of these texts was made as a token of the lead, by a mistake that integrators make: another hash, order,
 * joiner, encoding, or the secret decoded first. Undefined where none of them leads to it.
 */
export async function findTokenMaking(
  texts: ReadonlySet<string>,
  leadIds: readonly string[],
  advertisers: readonly Advertiser[],
  format: TokenFormat,
): Promise<TokenMaking | undefined> {
  const lengths = new Set([...texts].map(text => text.length))
  const possible = Object.entries(hashes).filter(([, bytes]) => lengthsOf(bytes).some(length => lengths.has(length)))
  for (const advertiser of advertisers)
    for (const { bytes, deviation: ofSecret } of secretsOf(advertiser.postback_secret))
      for (const [hash] of possible) {
        const algorithm = { name: 'HMAC', hash }
        const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign'])
        for (const { content, deviation: ofContent } of contentsOf(leadIds, advertiser.advertiser_id, format.joiner)) {
          const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(content)))
          const encoding = encodingsOf(signature).find(({ text }) => texts.has(text))?.encoding
          if (encoding === undefined) continue
          const ofHash = hash === format.hash ? [] : [`by ${hash} instead of ${format.hash}`]
          const ofEncoding =
            encoding === format.encoding ? [] : [`encoded as ${encoding} instead of ${format.encoding}`]
          return { advertiser, deviations: [...ofHash, ...ofSecret, ...ofContent, ...ofEncoding] }
        }
      }
  return undefined
}

interface Part {
  readonly deviation: readonly string[]
}

function secretsOf(secret: string): (Part & { readonly bytes: Uint8Array<ArrayBuffer> })[] {
  const decoded = [
    { bytes: fromBase64(secret), deviation: ['with the secret decoded from base64 first'] },
    { bytes: fromHex(secret), deviation: ['with the secret decoded from hexadecimal digits first'] },
  ]
  return [
    { bytes: encoder.encode(secret), deviation: [] },
    ...decoded.flatMap(({ bytes, deviation }) => (bytes && bytes.length > 0 ? [{ bytes, deviation }] : [])),
  ]
}

function contentsOf(
  leadIds: readonly string[],
  advertiserId: string,
  joiner: string,
): (Part & { readonly content: string })[] {
  return leadIds.flatMap((leadId, index) => {
    const ofCase = index === 0 ? [] : ['with the lead_id in capital letters']
    const joined = [...new Set([joiner, ...joiners])].flatMap(by => {
      const ofJoiner = by === joiner ? [] : [by === '' ? 'without a joiner' : `joined by "${by}"`]
      return [
        { content: `${leadId}${by}${advertiserId}`, deviation: [...ofCase, ...ofJoiner] },
        {
          content: `${advertiserId}${by}${leadId}`,
          deviation: [...ofCase, 'with the advertiser before the lead', ...ofJoiner],
        },
      ]
    })
    return [...joined, { content: leadId, deviation: [...ofCase, 'over the lead_id alone'] }]
  })
}

/** How long the encodings of so many bytes are. */
function lengthsOf(bytes: number): number[] {
  return encodingsOf(new Uint8Array(bytes)).map(({ text }) => text.length)
}

function encodingsOf(signature: Uint8Array): { readonly text: string; readonly encoding: string }[] {
  const hex = toHex(signature)
  const base64 = btoa(String.fromCharCode(...signature))
  const base64url = base64.replaceAll('+', '-').replaceAll('/', '_')
  return [
    { text: hex, encoding: 'hex' },
    { text: hex.toUpperCase(), encoding: 'hex in capital letters' },
    { text: base64url.replaceAll('=', ''), encoding: 'base64url' },
    { text: base64url, encoding: 'base64url with padding' },
    { text: base64, encoding: 'base64' },
    { text: base64.replaceAll('=', ''), encoding: 'base64 without padding' },
  ]
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), character => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function fromHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^([0-9a-f]{2})+$/i.test(text)) return undefined
  return Uint8Array.from(text.match(/../g) ?? [], pair => Number.parseInt(pair, 16))
}
