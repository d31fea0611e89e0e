import { signToken, type TokenFormat, type TokenSubject, tokenKey } from './lead-token.ts'
import { contentsOf, encodingsOf, hashesOf, secretsOf, type TokenDeviation } from './token-variants.ts'

/** Who may have made a token. */
export interface TokenSigner extends Omit<TokenSubject, 'lead_id'> {
  /** What the advertiser is called in a message. */
  readonly name: string
}

/** How a token was made. */
export interface TokenMaking {
  readonly signer: TokenSigner
  /** The one of the texts that was made so. */
  readonly text: string
  /** Hash, joiner and encoding of it, as a part of a sentence. */
  readonly reading: string
  readonly deviations: readonly TokenDeviation[]
}

/**
 * How one of these texts was made as a token of the lead, by another reading of the specification or by a mistake that
 * integrators make: another hash, order, joiner, encoding, or the secret decoded first. Undefined where none of them
 * leads to it.
 */
export async function findTokenMaking(
  texts: ReadonlySet<string>,
  leadIds: readonly string[],
  signers: readonly TokenSigner[],
  format: TokenFormat,
): Promise<TokenMaking | undefined> {
  const possible = hashesOf(new Set([...texts].map(text => text.length)), format)
  for (const signer of signers)
    for (const secret of secretsOf(signer.postback_secret))
      for (const hash of possible) {
        const key = await tokenKey(secret.value, hash.value)
        for (const content of contentsOf(leadIds, signer.advertiser_id, format)) {
          const signature = await signToken(key, content.value)
          const written = encodingsOf(signature, format).find(({ value }) => texts.has(value))
          if (!written) continue
          const deviations = [hash, secret, content, written].flatMap(each => each.deviations)
          const reading = `HMAC-${hash.value}, the joiner "${content.joiner}" and ${written.encoding}`
          return { signer, text: written.value, reading, deviations }
        }
      }
  return undefined
}
