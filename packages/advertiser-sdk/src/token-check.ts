import { encodeToken, equalText, signToken, type TokenFormat, tokenKey } from '@lead-distribution/contract'
import { ConfigError } from '@lead-distribution/sdk-core/errors'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'
import { exposedText, type PostbackUrl } from './postback-url.ts'

/**
 * What the tokens of an advertiser are checked by. The specification leaves open which hash, joiner and encoding the
 * service uses, so that nothing is assumed: the service's operator knows them.
 */ // Spec 5
export interface TokenCheckOptions extends TokenFormat {
  /** The secret that the service shares with the advertiser; several while it is exchanged. */
  secret: string | readonly string[]
  /** Id of the advertiser, a UUID, in the letter case that it was issued in. */
  advertiser_id: string
}

const knownInFormat = { hash: 1, joiner: 1, encoding: 1 } satisfies Known<TokenFormat>
const knownOptions = { ...knownInFormat, secret: 1, advertiser_id: 1 } satisfies Known<TokenCheckOptions>

/** The token of a lead by itself, decoded. */
export interface LeadToken {
  /** Id of the lead, a UUID. */
  lead_id: string
  /** The token as it reads, percent escapes decoded. */
  token: string
}

/**
 * Whether the service made a token for its lead, with a secret that it shares with the advertiser. Whatever the token is,
 * it is a yes or a no.
 * @throws ConfigError it is given neither a lead's id with its token nor an object that `PostbackUrl.parse` made.
 */
export type TokenCheck = (of: PostbackUrl | LeadToken) => Promise<boolean>

/**
 * Sets up the check of postback tokens: HMAC over lead id, joiner and advertiser id, compared in constant
 * time. It shows that a postback URL came from the service, before you store it; firing one needs no check.
 * @throws ConfigError a secret or the advertiser's id is missing, the format is none that is known, or an option is unknown.
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
    const content = `${lead_id.toLowerCase()}${joiner}${advertiser_id}`
    keys ??= Promise.all(secrets.map(secret => tokenKey(secret, hash)))
    const signed = await Promise.all((await keys).map(key => signToken(key, content)))
    // Every one is compared, so that the time reveals nothing.
    return signed.filter(signature => equalText(token, encodeToken(signature, encoding))).length > 0
  }
}

/** The lead's id and the token of a postback URL, the token as the service reads it. */
function tokenOf(url: PostbackUrl): LeadToken {
  const query = new URL(exposedText(url)).searchParams
  return { lead_id: url.lead_id, token: query.get('token') ?? '' }
}

const formats: { readonly [Part in 'hash' | 'encoding']: readonly TokenFormat[Part][] } = {
  hash: ['SHA-256', 'SHA-384', 'SHA-512'],
  encoding: ['hex', 'base64', 'base64url'],
}

/**
 * Checks what tokens are made with.
 * @throws ConfigError the secret or the advertiser's id is missing, or the format is none that is known.
 */ // Spec 5
export function checkTokenSource(secrets: readonly string[], advertiserId: string, format: TokenFormat): void {
  const texts = [...secrets, advertiserId]
  if (secrets.length === 0 || !texts.every(text => typeof text === 'string' && text !== '')) {
    throw new ConfigError('State both `secret` and `advertiser_id`, as texts that are not empty.')
  }
  for (const part of ['hash', 'encoding'] as const) {
    if (!(formats[part] as readonly string[]).includes(format[part])) {
      throw new ConfigError(
        `\`${part}\` must be one of ${formats[part].join(', ')}. The service's operator knows which.`,
      )
    }
  }
  if (typeof format.joiner !== 'string') {
    throw new ConfigError('`joiner` must be a text, such as ":"; it may be empty. The service\'s operator knows which.')
  }
}
