import { type ChanceKey, wordsOf } from './chance-words.ts'

/**
 * The n-th UUID (version 4) of a key: equal keys give equal ids. It begins with 16 bits of the key and with n, so
 * that ids grow as rows are added and an index of a database is written at its end, not all over (measured:
 * 80 µs a lead, then 50). The rest is drawn by chance; it is no secret, and nobody gets from an id to the seed that
 * the key was derived from.
 */
export function seededUuid(key: ChanceKey, n: number): string {
  const next = wordsOf(key, n)
  const number = hex(n)
  // The version is 4, and the variant's two highest bits are 10 (RFC 9562).
  const middle = hex((next() & 0x0fff_3fff) | 0x4000_8000)
  const last = hex(next())
  return `${prefixOfSeededUuids(key)}${number.slice(0, 4)}-${number.slice(4)}-${middle.slice(0, 4)}-${middle.slice(4)}-${last}${hex(next()).slice(0, 4)}`
}

/** What all UUIDs of a key begin with: 16 bits of it. */
export function prefixOfSeededUuids([key0]: ChanceKey): string {
  return hex(key0).slice(0, 4)
}

/** Which number a UUID of {@link seededUuid} has, up to 32 bits. */
export function numberOfSeededUuid(uuid: string): number {
  return Number.parseInt(uuid.replaceAll('-', '').slice(4, 12), 16)
}

const byteDigits: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** The eight digits of a 32-bit word, byte by byte: for numbers of that size `toString(16)` takes ten times as long. */
function hex(word: number): string {
  const digits = (shift: number) => byteDigits[(word >>> shift) & 0xff] ?? ''
  return `${digits(24)}${digits(16)}${digits(8)}${digits(0)}`
}

/** The UUID (version 4) that 32 hexadecimal digits make. */
export function asUuid(hex: string): string {
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
