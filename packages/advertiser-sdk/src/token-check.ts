import {
  canonicalUuid,
  encodeToken,
  equalText,
  signToken,
  type TokenFormat,
  tokenKey,
} from '@lead-distribution/contract'
import { ConfigError } from '@lead-distribution/sdk-core/errors'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'
import { exposedText, type PostbackUrl } from './postback-url.ts'

/**
 * The options of {@link createTokenCheck}. The specification does not define the hash, the joiner and the encoding of
 * tokens, so there are no defaults: ask the service's operator.
 */ // Spec 5
export interface TokenCheckOptions extends TokenFormat {
  /** The secret that the service shares with the advertiser; several during a rotation. */
  secret: string | readonly string[]
  /** Id of the advertiser, a UUID, in the letter case in which it was issued. */
  advertiser_id: string
}

const knownInFormat = { hash: 1, joiner: 1, encoding: 1 } satisfies Known<TokenFormat>
const knownOptions = { ...knownInFormat, secret: 1, advertiser_id: 1 } satisfies Known<TokenCheckOptions>

/** The token of a lead, decoded. @inline */
type LeadToken = {
  /** Id of the lead, a UUID. */
  lead_id: string
  /** The token with percent escapes decoded. */
  token: string
}

/**
 * Returns true if the service made this token for its lead, with a secret that it shares with the advertiser.
 * @throws ConfigError the argument is neither a lead's id with its token nor a `PostbackUrl`.
 */
export type TokenCheck = (of: PostbackUrl | LeadToken) => Promise<boolean>

/**
 * Creates a check of postback tokens (HMAC over lead id, joiner and advertiser id, compared in constant time). It proves
 * that a postback URL came from the service, before you store it; you don't need it to fire one.
 * @throws ConfigError a secret or the advertiser's id is missing, the format is not supported, or an option is unknown.
 * @example
 * ```ts
 * import { createTokenCheck } from '@lead-distribution/advertiser-sdk'
 *
 * const secret = process.env.POSTBACK_SECRET ?? ''
 * const isGenuine = createTokenCheck({ secret, advertiser_id, hash: 'SHA-256', joiner: ':', encoding: 'hex' })
 * if (await isGenuine(advertiser.parsePostbackUrl(postbackUrl))) await store(postbackUrl)
 * ```
 */ // Spec 5
export function createTokenCheck(options: TokenCheckOptions): TokenCheck {
  checkOptions('`createTokenCheck`', options, knownOptions)
  const { advertiser_id, hash, joiner, encoding } = options
  const secrets = [options.secret].flat()
  checkTokenSource(secrets, advertiser_id, options)
  let keys: Promise<CryptoKey[]> | undefined
  return async of => {
    const { lead_id, token } = 'token' in Object(of) ? (of as LeadToken) : tokenOf(of as PostbackUrl)
    if (typeof lead_id !== 'string' || typeof token !== 'string') return false
    const content = `${canonicalUuid(lead_id)}${joiner}${advertiser_id}`
    keys ??= Promise.all(secrets.map(secret => tokenKey(secret, hash)))
    const signed = await Promise.all((await keys).map(key => signToken(key, content)))
    // Compares every one, so that the time reveals nothing.
    return signed.filter(signature => equalText(token, encodeToken(signature, encoding))).length > 0
  }
}

/** Reads the lead's id and the token of a postback URL as the service does. */
function tokenOf(url: PostbackUrl): LeadToken {
  const query = new URL(exposedText(url)).searchParams
  return { lead_id: url.lead_id, token: query.get('token') ?? '' }
}

const formats: { readonly [Part in 'hash' | 'encoding']: readonly TokenFormat[Part][] } = {
  hash: ['SHA-256', 'SHA-384', 'SHA-512'],
  encoding: ['hex', 'base64', 'base64url'],
}

/**
 * Checks the ingredients of tokens.
 * @throws ConfigError the secret or the advertiser's id is missing, or the format is not supported.
 */ // Spec 5
export function checkTokenSource(secrets: readonly string[], advertiserId: string, format: TokenFormat): void {
  const texts = [...secrets, advertiserId]
  if (secrets.length === 0 || !texts.every(text => typeof text === 'string' && text !== '')) {
    throw new ConfigError('Set both `secret` and `advertiser_id` to strings that are not empty.')
  }
  for (const part of ['hash', 'encoding'] as const) {
    if (!(formats[part] as readonly string[]).includes(format[part])) {
      throw new ConfigError(`\`${part}\` must be one of ${formats[part].join(', ')}. Ask the service's operator which.`)
    }
  }
  if (typeof format.joiner !== 'string') {
    throw new ConfigError('`joiner` must be a string such as ":", possibly empty. Ask the service\'s operator which.')
  }
}
