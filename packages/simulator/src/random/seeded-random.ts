import { toHex } from '@lead-distribution/contract'

/** The source of seeds, secrets and names that were not chosen. */
export interface Entropy {
  /** So many unpredictable bytes. */
  bytes(count: number): Uint8Array<ArrayBuffer>
}

const encoder = new TextEncoder()

/** Derives texts and numbers from a seed, one for each label: equal seeds and labels give equal values. */
export interface Derivation {
  /** 64 hexadecimal digits: HMAC-SHA-256 of the label. Reveals neither the seed nor the value of another label. */
  hex(label: string): Promise<string>
}

/** The values of a seed. */
export async function deriveFrom(seed: string): Promise<Derivation> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(`seed ${seed}`), algorithm, false, ['sign'])
  return {
    async hex(label) {
      return toHex(new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(label))))
    },
  }
}

/** Four 32-bit words that numbers are drawn from. */
export type RandomKey = readonly [number, number, number, number]

/** The key that 32 hexadecimal digits hold. */
export function randomKey(hex: string): RandomKey {
  const word = (index: number) => Number.parseInt(hex.slice(8 * index, 8 * index + 8), 16)
  return [word(0), word(1), word(2), word(3)]
}

/** The n-th series of 32-bit words of a key, drawn by sfc32: equal keys give equal series. */
export function wordsOf([key0, key1, key2, key3]: RandomKey, n: number): () => number {
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

/** The n-th number of a key, from 0 up to but not 1. */
export function fractionOf(key: RandomKey, n: number): number {
  return wordsOf(key, n)() / 2 ** 32
}
