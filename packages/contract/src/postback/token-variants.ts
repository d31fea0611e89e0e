import { encodeToken, type TokenFormat } from './lead-token.ts'

/** How a making differs from the format that was asked for. */
export interface TokenDeviation {
  /** The part of the format that another reading of the specification has so; undefined for a plain mistake. */
  readonly part?: keyof TokenFormat | undefined
  /** As a part of a sentence. */
  readonly text: string
}

/** One way to do a step of the making. */
export interface Variant<Value> {
  readonly value: Value
  readonly deviations: readonly TokenDeviation[]
}

/** The bytes that each hash signs with: a token's length tells which of them it may be. */
const hashes = { 'SHA-1': 20, 'SHA-256': 32, 'SHA-384': 48, 'SHA-512': 64 } as const
const joiners = ['', ':', '.', '|', '-', '_', '/', ',', ';', ' ']

/** The hashes that come to one of these lengths. */
export function hashesOf(lengths: ReadonlySet<number>, format: TokenFormat): Variant<string>[] {
  return Object.entries(hashes)
    .filter(([, bytes]) => encodingsOf(new Uint8Array(bytes), format).some(({ value }) => lengths.has(value.length)))
    .map(([hash]) => {
      const part = hash === 'SHA-1' ? undefined : ('hash' as const)
      return {
        value: hash,
        deviations: hash === format.hash ? [] : [{ part, text: `by ${hash} instead of ${format.hash}` }],
      }
    })
}

/** The secret as it is, and decoded first. */
export function secretsOf(secret: string): Variant<string | Uint8Array<ArrayBuffer>>[] {
  const decoded = [
    { value: fromBase64(secret), deviations: [{ text: 'with the secret decoded from base64 first' }] },
    { value: fromHex(secret), deviations: [{ text: 'with the secret decoded from hexadecimal digits first' }] },
  ]
  return [
    { value: secret, deviations: [] },
    ...decoded.flatMap(({ value, deviations }) => (value?.length ? [{ value, deviations }] : [])),
  ]
}

/** What is signed; the first of the lead's ids is the right one. */
export function contentsOf(
  leadIds: readonly string[],
  advertiserId: string,
  { joiner }: TokenFormat,
): (Variant<string> & { readonly joiner: string })[] {
  return leadIds.flatMap((leadId, index) => {
    const ofCase = index === 0 ? [] : [{ text: 'with the lead_id in capital letters' }]
    const joined = [...new Set([joiner, ...joiners])].flatMap(by => {
      const text = by === '' ? 'without a joiner' : `joined by "${by}"`
      const ofJoiner = by === joiner ? [] : [{ part: 'joiner' as const, text }]
      const ofOrder = { text: 'with the advertiser before the lead' }
      return [
        { joiner: by, value: `${leadId}${by}${advertiserId}`, deviations: [...ofCase, ...ofJoiner] },
        { joiner: by, value: `${advertiserId}${by}${leadId}`, deviations: [...ofCase, ofOrder, ...ofJoiner] },
      ]
    })
    return [...joined, { joiner: '', value: leadId, deviations: [...ofCase, { text: 'over the lead_id alone' }] }]
  })
}

/** The signature as text, in every encoding. */
export function encodingsOf(
  signature: Uint8Array,
  format: TokenFormat,
): (Variant<string> & { readonly encoding: string })[] {
  const usual = (['hex', 'base64url', 'base64'] as const).map(each => [each, encodeToken(signature, each)] as const)
  const [[, hex], [, base64url], [, base64]] = usual as [Usual, Usual, Usual]
  const unusual = [
    ['hex in capital letters', hex.toUpperCase()],
    ['base64url with padding', base64url + '='.repeat(base64.length - base64url.length)],
    ['base64 without padding', base64.replaceAll('=', '')],
  ] as const
  return [...usual, ...unusual].map(([encoding, value], index) => {
    const part = index < usual.length ? ('encoding' as const) : undefined
    const text = `encoded as ${encoding} instead of ${format.encoding}`
    return { encoding, value, deviations: encoding === format.encoding ? [] : [{ part, text }] }
  })
}

type Usual = readonly [encoding: string, text: string]

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
