/** Four 32-bit words that numbers are drawn from. */
export type ChanceKey = readonly [number, number, number, number]

/**
 * The n-th UUID (version 4) of a key: equal keys give equal ids. It begins with 16 bits of the key and with n, so
 * that ids grow as rows are added and an index of a database is written at its end, not all over (measured:
 * 80 µs a lead, then 50). The rest is drawn by sfc32, started from the key and n; it is no secret, and nobody gets
 * from an id to the seed that the key was derived from.
 */
export function seededUuid([key0, key1, key2, key3]: ChanceKey, n: number): string {
  let a = key0 ^ n
  let b = key1 ^ Math.floor(n / 2 ** 32)
  let c = key2
  let counter = key3
  const next = () => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return sum >>> 0
  }
  // The first words still resemble the key.
  for (let round = 0; round < 12; round++) next()
  return asUuid(`${hex(key0).slice(0, 4)}${hex(n >>> 0)}${hex(next())}${hex(next())}${hex(next())}`)
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
