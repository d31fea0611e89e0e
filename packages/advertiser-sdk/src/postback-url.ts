import {
  acceptedPixelEvents,
  canonicalEvent,
  type FieldIssue,
  isUuid,
  keyHeader,
  maxRefLength,
  sandboxKeyPrefix,
} from '@lead-distribution/contract'
import { isPlaceHolder } from '@lead-distribution/diagnostics/postback'
import { resolveBaseUrl } from '@lead-distribution/sdk-core/address'
import { ConfigError, ValidationError } from '@lead-distribution/sdk-core/errors'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'
import type { EventOf, Vocabulary } from './vocabulary.ts'

const redacted = 'PostbackUrl(token redacted)'
const inspect = Symbol.for('nodejs.util.inspect.custom')

/**
 * The postback URL that the service delivered with a lead, checked and kept as text. It holds a token
 * that is as good as a key for its lead, so it shows itself redacted wherever it is printed.
 * @example
 * ```ts
 * import { PostbackUrl } from '@lead-distribution/advertiser-sdk'
 *
 * const url = PostbackUrl.parse(postbackUrl, { baseUrl: 'https://acme.leads.example/api/v1' })
 * report(url) // PostbackUrl(token redacted)
 * await store({ lead_id: url.lead_id, url: url.expose() }) // like a password
 * ```
 */ // Spec 4.3
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
   * @throws ConfigError it is none, or an option is unknown; the message says what is wrong and repeats nothing of it. `explainPostbackUrl`
   * of `./explain` says more.
   */
  static parse(raw: string, options: { baseUrl: string | URL }): PostbackUrl {
    checkOptions('`PostbackUrl.parse`', options, { baseUrl: 1 })
    return new PostbackUrl(raw, checkPostback(raw, options.baseUrl))
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

  /** Redacted, for `util.inspect` and `console.log`. @hidden */
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
  // What a URL parser or `fetch` would drop or rewrite silently is refused: the text is sent unchanged.
  const isPlain = typeof raw === 'string' && /^[!-~]+$/.test(raw) && !/["'<>\\]/.test(raw) && URL.canParse(raw)
  const parts = isPlain && /^https?:\/\/([^/?#]+)([^?#]*)/i.exec(raw)
  if (!parts) throw wrong('is not an absolute URL without spaces and quotes')
  const [, authority = '', path = ''] = parts
  const url = new URL(raw)
  if (url.origin !== base.origin) throw wrong(`is of another host, port or scheme than the base URL, ${base.origin}`)
  if (authority.includes('@') || raw.includes('#')) throw wrong('has credentials or a fragment')
  const [before, after] = [`${base.pathname.replace(/\/$/, '')}/lead/`, '/status']
  const lead = path.startsWith(before) && path.endsWith(after) ? path.slice(before.length, -after.length) : ''
  if (!isUuid(lead)) throw wrong(`has another path than \`${before}{lead_id}${after}\`, which the base URL asks for`)
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

/** The content of a postback. */ // Spec 4.3
export interface Postback<Names extends Vocabulary> {
  /** What happened to the lead. */
  event: EventOf<Names>
  /** The advertiser's own reference of the lead, at most 255 characters. */
  ref?: string | undefined
}

const knownInPostback = { event: 1, ref: 1 } satisfies Known<Postback<Vocabulary>>

/**
 * The text of a postback URL with an event, and the advertiser's own reference, appended as text. What it carries
 * already does not change.
 * @throws ConfigError it is no PostbackUrl, or carries another event or another reference already, or a field is unknown.
 * @throws ValidationError the event is none of these, or the reference is no text or too long.
 */
export function postbackText(url: PostbackUrl, postback: Postback<Vocabulary>, events: readonly string[]): string {
  checkOptions('The postback', postback, knownInPostback)
  const text = exposedText(url)
  const { event, ref } = postback ?? {}
  const issues: FieldIssue[] = []
  if (!events.includes(event)) issues.push({ field: 'event', issue: `must be one of ${events.join(', ')}` })
  const ofRef = ref === undefined ? undefined : refIssue(ref)
  if (ofRef) issues.push({ field: 'ref', issue: ofRef })
  if (issues.length > 0) throw new ValidationError(issues)
  const query = new URL(text).searchParams
  return append(append(text, query, 'event', event, canonicalEvent), query, 'ref', ref)
}

function refIssue(ref: unknown): string | undefined {
  if (typeof ref !== 'string') return 'must be a string'
  if (!ref.isWellFormed()) return 'must not hold half a character'
  return ref.length > maxRefLength ? `must be at most ${maxRefLength} characters long` : undefined
}

function append(
  text: string,
  query: URLSearchParams,
  name: 'event' | 'ref',
  value: string | undefined,
  canonical = (name: string) => name,
): string {
  if (value === undefined) return text
  const carried = query.get(name)
  // `fetch` would rewrite an apostrophe, which `encodeURIComponent` leaves as it is.
  const written = encodeURIComponent(value).replaceAll("'", '%27')
  if (carried === null) return `${text}${text.endsWith('&') ? '' : '&'}${name}=${written}`
  if (canonical(carried) === canonical(value)) return text
  throw new ConfigError(
    `The postback URL carries another \`${name}\` already. Report that one, or ask for a URL without.`,
  )
}
