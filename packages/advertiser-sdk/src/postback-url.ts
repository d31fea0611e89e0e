import { acceptedPixelEvents, isUuid, keyHeader, maxRefLength, sandboxKeyPrefix } from '@lead-distribution/contract'
import { isPlaceHolder } from '@lead-distribution/diagnostics/postback'
import { resolveBaseUrl } from '@lead-distribution/sdk-core/address'
import { ConfigError } from '@lead-distribution/sdk-core/errors'

const redacted = 'PostbackUrl(token redacted)'
const inspect = Symbol.for('nodejs.util.inspect.custom')

/**
 * The postback URL that the service delivered with a lead (Spec 4.3), checked and kept as text. It holds a token
 * that is as good as a key for its lead, so it shows itself redacted wherever it is printed.
 */
export class PostbackUrl {
  readonly #text: string
  /** Id of the lead, a UUID. */
  readonly lead_id: string

  private constructor(text: string, leadId: string) {
    this.#text = text
    this.lead_id = leadId
  }

  /**
   * Checks that a text is a postback URL of the service at this base address. It is not rebuilt: URL libraries
   * rewrite tokens.
   * @throws ConfigError it is none; the message says what is wrong and repeats nothing of it. `explainPostbackUrl`
   * of `./explain` says more.
   */
  static parse(raw: string, { baseUrl }: { baseUrl: string | URL }): PostbackUrl {
    return new PostbackUrl(raw, checkPostback(raw, baseUrl))
  }

  /** The whole URL, its token included, as it was delivered. Do not log it. */
  expose(): string {
    return this.#text
  }

  /** Redacted. */
  toString(): string {
    return redacted
  }

  /** Redacted. */
  toJSON(): string {
    return redacted
  }

  /** Redacted, for `util.inspect` and `console.log`. */
  [inspect](): string {
    return redacted
  }
}

/**
 * The whole text of a postback URL, whichever copy of the package made it.
 * @throws ConfigError it is none.
 */
export function exposedText(url: PostbackUrl): string {
  try {
    const text = url.expose()
    if (URL.canParse(text)) return text
  } catch {
    // Its private text is out of reach.
  }
  throw new ConfigError(
    'This is no PostbackUrl: pass the very object that `PostbackUrl.parse` made, not text, a copy of it or a proxy.',
  )
}

/**
 * The lead's id in a postback URL of the service at this base address.
 * @throws ConfigError it is no such URL; the message repeats nothing of it, for it holds a token.
 */
export function checkPostback(raw: string, baseUrl: string | URL): string {
  const base = resolveBaseUrl({ baseUrl })
  // What a URL parser would drop or rewrite silently is refused: the text is sent unchanged.
  const isPlain = typeof raw === 'string' && /^[!-~]+$/.test(raw) && !/["<>\\]/.test(raw)
  const path = isPlain && URL.canParse(raw) && /^https?:\/\/[^/?#]+([^?#]*)/i.exec(raw)?.[1]
  if (typeof path !== 'string') throw wrong('is not an absolute URL without spaces')
  const url = new URL(raw)
  if (url.origin !== base.origin) throw wrong('is of another host, port or scheme than the base URL')
  if (url.username || url.password || raw.includes('#')) throw wrong('has credentials or a fragment')
  const [before, after] = [`${base.pathname.replace(/\/$/, '')}/lead/`, '/status']
  const lead = path.startsWith(before) && path.endsWith(after) ? path.slice(before.length, -after.length) : ''
  if (!isUuid(lead)) throw wrong('has another path than `/lead/{lead_id}/status` below the base URL')
  const query = url.searchParams
  if (query.has(keyHeader)) throw wrong('holds an API key, which belongs in no URL')
  const [token, event, ref] = ['token', 'event', 'ref'].map(name => query.get(name))
  if (!token) throw wrong('has no token')
  if (isPlaceHolder(token)) throw wrong('has a token that is a place-holder')
  if (token.startsWith(sandboxKeyPrefix)) throw wrong('has an API key for a token')
  if (new Set(query.keys()).size < query.size) throw wrong('has a parameter more than once')
  if (event != null && !acceptedPixelEvents.some(known => known === event)) throw wrong('has an unknown event')
  if (ref && ref.length > maxRefLength) throw wrong(`has a \`ref\` of more than ${maxRefLength} characters`)
  return lead
}

function wrong(what: string): ConfigError {
  return new ConfigError(`The postback URL ${what}. Use it just as it was delivered with the lead.`)
}
