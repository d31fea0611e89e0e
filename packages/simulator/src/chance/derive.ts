import { toHex } from '@lead-distribution/contract'

const encoder = new TextEncoder()

/** Derives texts and numbers from a seed, one for each label: equal seeds and labels give equal values. */
export interface Derivation {
  /** 64 hexadecimal digits: HMAC-SHA-256 of the label. Tells nothing of the seed or of another label's. */
  hex(label: string): Promise<string>
}

/** The values of a seed. */
export async function deriveFrom(seed: string): Promise<Derivation> {
  const key = await crypto.subtle.importKey(
    'raw',
    encoder.encode(`seed ${seed}`),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  )
  return {
    async hex(label) {
      const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(label)))
      return toHex(bytes)
    },
  }
}
