import { type ChanceKey, wordsOf } from './chance-words.ts'

/**
 * The n-th UUID (version 4) of a key: equal keys give equal ids. It begins with 16 bits of the key and with n, so
 * that ids grow as rows are added and an index of a database is written at its end, not all over (measured:
 * 80 µs a lead, then 50). The rest is drawn by chance; it is no secret, and nobody gets from an id to the seed that
 * the key was derived from.
 */
export function seededUuid(key: ChanceKey, n: number): string {
  const next = wordsOf(key, n)
  return asUuid(`${hex(key[0]).slice(0, 4)}${hex(n >>> 0)}${hex(next())}${hex(next())}${hex(next())}`)
}

/** What all UUIDs of a key begin with: 16 bits of it. */
export function prefixOfSeededUuids([key0]: ChanceKey): string {
  return hex(key0).slice(0, 4)
}

/** Which number a UUID of {@link seededUuid} has, up to 32 bits. */
export function numberOfSeededUuid(uuid: string): number {
  return Number.parseInt(uuid.replaceAll('-', '').slice(4, 12), 16)
}

const hex = (word: number) => word.toString(16).padStart(8, '0')

/** The UUID (version 4) that 32 hexadecimal digits make. */
export function asUuid(hex: string): string {
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
