import type { TokenFormat } from '@lead-distribution/contract'

const joiners = [':', '.', '-', '|', '', '_', '/', ',', ';', ' ']
const writings = [
  ['SHA-256', 'hex'],
  ['SHA-256', 'base64url'],
  ['SHA-256', 'base64'],
  ['SHA-512', 'hex'],
  ['SHA-512', 'base64url'],
  ['SHA-512', 'base64'],
  // Not in base64: without padding, one token does not tell which of the two spellings it has.
  ['SHA-384', 'hex'],
] as const

/** How a token may be made, the likeliest first. No two of them make the same token. */
export const tokenFormats: readonly TokenFormat[] = writings.flatMap(([hash, encoding]) =>
  joiners.map(joiner => ({ hash, joiner, encoding })),
)

/** How many characters each hash comes to. */
const lengths: readonly (readonly [letters: RegExp, length: number, looks: string])[] = [
  [/^[0-9a-f]+$/, 64, 'SHA-256 in hex'],
  [/^[0-9a-f]+$/, 128, 'SHA-512 in hex'],
  [/^[0-9a-f]+$/, 96, 'SHA-384 in hex'],
  [/^[\w-]+$/, 43, 'SHA-256 in base64url'],
  [/^[\w-]+$/, 86, 'SHA-512 in base64url'],
  [/^[\w+/-]+$/, 64, 'SHA-384 in base64 or base64url'],
  [/^[a-z0-9+/]+=$/i, 44, 'SHA-256 in base64'],
  [/^[a-z0-9+/]+==$/i, 88, 'SHA-512 in base64'],
]

/** What the letters of a token tell of its making, as a part of a sentence. */
export function tokenLooks(token: string): string {
  const looks = lengths.find(([letters, length]) => token.length === length && letters.test(token))?.[2]
  return looks === undefined ? 'has the length of no usual hash' : `has the letters and the length of ${looks}`
}
