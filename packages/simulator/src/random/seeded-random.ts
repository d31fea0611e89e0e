import { signToken, toHex, tokenKey } from '@lead-distribution/contract'

/** The source of generated seeds, secrets and names. */
export interface Entropy {
  /** Returns unpredictable bytes. */
  bytes(count: number): Uint8Array<ArrayBuffer>
}

/** Derives texts and numbers from a seed by label: equal seeds and labels give equal values. */
export interface Derivation {
  /** 64 hexadecimal digits: HMAC-SHA-256 of the label. Reveals neither the seed nor the value of another label. */
  hex(label: string): Promise<string>
}

export async function deriveFrom(seed: string): Promise<Derivation> {
  const key = await tokenKey(`seed ${seed}`, 'SHA-256')
  return { hex: async label => toHex(await signToken(key, label)) }
}

/** A key of four 32-bit words, from which numbers are drawn. */
export type RandomKey = readonly [number, number, number, number]

/** Parses a key of 32 hexadecimal digits. */
export function randomKey(hex: string): RandomKey {
  const word = (index: number) => Number.parseInt(hex.slice(8 * index, 8 * index + 8), 16)
  return [word(0), word(1), word(2), word(3)]
}

/** Returns the n-th series of 32-bit words of a key, drawn by sfc32: equal keys give equal series. */
function wordsOf([key0, key1, key2, key3]: RandomKey, n: number): () => number {
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
  return next
}

/** Returns the n-th number of a key, from 0 (inclusive) to 1 (exclusive). */
export function fractionOf(key: RandomKey, n: number): number {
  return wordsOf(key, n)() / 2 ** 32
}

/** The sequence of ids of a key. */
export interface SeededIds {
  /** The prefix of all ids, which few other keys share. */
  readonly prefix: string
  next(): string
  /** Returns the id of a reserved number. */
  at(number: number): string
  /** Returns the number after the newest. */
  following(): number
  /** Returns true for any id of this key, whether or not it has been assigned. */
  includes(id: string): boolean
  /** Continues after the newest stored id, or from the start if there is none. */
  restore(newest: string | undefined): void
}

/** Creates the sequence of a key's ids, starting after the newest. */
export function createSeededIds(key: RandomKey, newest: string | undefined): SeededIds {
  let number = numberAfter(newest)
  return {
    prefix: prefixOfSeededUuids(key),
    next: () => seededUuid(key, number++),
    at: reserved => seededUuid(key, reserved),
    following: () => number,
    includes(id) {
      const number = numberOfSeededUuid(id)
      return number < idCount && seededUuid(key, number) === id
    },
    restore(id) {
      number = numberAfter(id)
    },
  }
}

/** The number of ids per key: half of the 32-bit range, so that numbering can continue from any of them. */
const idCount = 2 ** 31

const numberAfter = (newest: string | undefined) => (newest === undefined ? 0 : numberOfSeededUuid(newest) + 1)

/** The length of {@link SeededIds.prefix}, in characters. */
export const prefixLength = 4

/**
 * Returns the n-th UUID (version 4) of a key: equal keys give equal ids. It begins with 16 bits of the key, then n, so
 * that ids grow as rows are added, and a database appends to its index instead of writing all over it (measured: 50 µs
 * per lead instead of 80). The rest is pseudorandom. It is not a secret, and ids don't reveal the seed.
 */
export function seededUuid(key: RandomKey, n: number): string {
  const next = wordsOf(key, n)
  const number = hex(n)
  // The version is 4, and the variant's two highest bits are 10 (RFC 9562).
  const middle = hex((next() & 0x0fff_3fff) | 0x4000_8000)
  const last = hex(next())
  return `${prefixOfSeededUuids(key)}${number.slice(0, 4)}-${number.slice(4)}-${middle.slice(0, 4)}-${middle.slice(4)}-${last}${hex(next()).slice(0, 4)}`
}

/** Returns the prefix of all UUIDs of a key: 16 bits of it. */
function prefixOfSeededUuids([key0]: RandomKey): string {
  return hex(key0).slice(0, prefixLength)
}

/** Returns the number in a UUID of {@link seededUuid}, up to 32 bits. */
function numberOfSeededUuid(uuid: string): number {
  return Number.parseInt(uuid.replaceAll('-', '').slice(4, 12), 16)
}

const byteDigits: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Returns the eight digits of a 32-bit word, byte by byte: `toString(16)` takes ten times as long for such numbers. */
function hex(word: number): string {
  const digits = (shift: number) => byteDigits[(word >>> shift) & 0xff] ?? ''
  return `${digits(24)}${digits(16)}${digits(8)}${digits(0)}`
}

/** Makes a UUID (version 4) from 32 hexadecimal digits. */
export function asUuid(hex: string): string {
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
