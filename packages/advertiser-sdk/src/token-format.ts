import type { TokenFormat } from '@lead-distribution/contract'
import { ConfigError } from '@lead-distribution/sdk-core/errors'

const words: { readonly [Part in 'hash' | 'encoding']: readonly TokenFormat[Part][] } = {
  hash: ['SHA-256', 'SHA-384', 'SHA-512'],
  encoding: ['hex', 'base64', 'base64url'],
}

/**
 * Checks what tokens are made with (Spec 5).
 * @throws ConfigError the secret or the advertiser's id is missing, or the format is none that is known.
 */
export function checkTokenSource(secrets: readonly string[], advertiserId: string, format: TokenFormat): void {
  const texts = [...secrets, advertiserId]
  if (secrets.length === 0 || !texts.every(text => typeof text === 'string' && text !== '')) {
    throw new ConfigError('State both `secret` and `advertiser_id`, as texts that are not empty.')
  }
  for (const part of ['hash', 'encoding'] as const) {
    if (!(words[part] as readonly string[]).includes(format[part])) {
      throw new ConfigError(`\`${part}\` must be one of ${words[part].join(', ')}. The service's operator knows which.`)
    }
  }
  if (typeof format.joiner !== 'string') {
    throw new ConfigError('`joiner` must be a text, such as ":"; it may be empty. The service\'s operator knows which.')
  }
}
