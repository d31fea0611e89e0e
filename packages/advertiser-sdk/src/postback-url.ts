import {
  acceptedPixelEvents,
  canonicalEvent,
  canonicalUuid,
  type FieldIssue,
  isUuid,
  keyHeader,
  maxRefLength,
  sandboxKeyPrefix,
} from '@lead-distribution/contract'
import { isPlaceholder } from '@lead-distribution/contract/diagnostics'
import { resolveBaseUrl } from '@lead-distribution/sdk-core/address'
import { ConfigError, ValidationError } from '@lead-distribution/sdk-core/errors'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'
import type { EventOf, Vocabulary } from './report.ts'

const redacted = 'PostbackUrl(token redacted)'
const inspect = Symbol.for('nodejs.util.inspect.custom')

/**
 * A validated postback URL, exactly as the service delivered it with a lead. Its token works like a key for the lead,
 * so it is redacted wherever the URL is printed.
 * @example
 * ```ts
 * import { PostbackUrl } from '@lead-distribution/advertiser-sdk'
 *
 * const url = PostbackUrl.parse(postbackUrl, { baseUrl: 'https://acme.leads.example/api/v1' })
 * report(url) // PostbackUrl(token redacted)
 * await store({ lead_id: url.lead_id, url: url.expose() }) // like a password
 * ```
 * @category Reports
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
   * Checks that a string is a postback URL of the service at this base URL. Keeps the text unchanged, because URL
   * libraries rewrite tokens.
   * @throws ConfigError it is not one, or an option is unknown. The message states the problem and contains nothing
   * from the URL. `lead-sandbox diagnose URL` finds all problems at once.
   */
  static parse(raw: string, options: { baseUrl: string | URL }): PostbackUrl {
    checkOptions('`PostbackUrl.parse`', options, { baseUrl: 1 })
    return new PostbackUrl(raw, checkPostback(raw, options.baseUrl))
  }

  /** Returns the whole URL as delivered, including its token. Don't log it. */
  expose(): string {
    return this.#text
  }

  /** Returns a redacted text. */
  toString(): string {
    return redacted
  }

  /** Returns a redacted text. */
  toJSON(): string {
    return redacted
  }

  /** Returns a redacted text for `util.inspect` and `console.log`. @hidden */
  [inspect](): string {
    return redacted
  }
}

/**
 * Returns the text of a postback URL, even if another copy of the package parsed it.
 * @throws ConfigError it is not a `PostbackUrl`.
 */
function exposedText(url: PostbackUrl): string {
  try {
    const text = url.expose()
    if (URL.canParse(text)) return text
  } catch {
    // A copy or a proxy cannot read the private field.
  }
  throw new ConfigError('Pass the object that `PostbackUrl.parse` returned, not a string, a copy or a proxy.')
}

/**
 * Checks a postback URL of the service at this base URL; returns its lead id.
 * @throws ConfigError it is not one. The message contains nothing from the URL, because of its token.
 */
export function checkPostback(raw: string, baseUrl: string | URL): string {
  const base = resolveBaseUrl({ baseUrl })
  // The text is sent unchanged, so anything that a URL parser or `fetch` would drop or rewrite is rejected.
  const isPlain = typeof raw === 'string' && /^[!-~]+$/.test(raw) && !/["'<>\\]/.test(raw) && URL.canParse(raw)
  const parts = isPlain && /^https?:\/\/([^/?#]+)([^?#]*)/i.exec(raw)
  if (!parts) throw wrong('is not an absolute URL without spaces and quotes')
  const [, authority = '', path = ''] = parts
  const url = new URL(raw)
  if (url.origin !== base.origin) throw wrong(`has another host, port or scheme than the base URL, ${base.origin}`)
  if (authority.includes('@') || raw.includes('#')) throw wrong('has credentials or a fragment')
  const [before, after] = [`${base.pathname.replace(/\/$/, '')}/lead/`, '/status']
  const lead = path.startsWith(before) && path.endsWith(after) ? path.slice(before.length, -after.length) : ''
  if (!isUuid(lead)) throw wrong(`does not have the path \`${before}{lead_id}${after}\`, which the base URL requires`)
  const query = url.searchParams
  if (query.has(keyHeader)) throw wrong('has an API key, which does not belong in a URL')
  const [token, event, ref] = ['token', 'event', 'ref'].map(name => query.get(name))
  if (!token) throw wrong('has no token')
  if (isPlaceholder(token)) throw wrong('has a placeholder instead of a token')
  if (token.startsWith(sandboxKeyPrefix)) throw wrong('has an API key instead of a token')
  if (new Set(query.keys()).size < query.size) throw wrong('has a parameter more than once')
  if (event != null && !acceptedPixelEvents.some(known => known === event)) throw wrong('has an unknown event')
  if (ref && ref.length > maxRefLength) throw wrong(`has a \`ref\` of more than ${maxRefLength} characters`)
  return canonicalUuid(lead)
}

function wrong(what: string): ConfigError {
  return new ConfigError(`The postback URL ${what}. Use it exactly as it was delivered with the lead.`)
}

/**
 * An event to report with a postback URL.
 * @category Reports
 */ // Spec 4.3
export interface Postback<Names extends Vocabulary> {
  /** The event. */
  event: EventOf<Names>
  /** The advertiser's own reference for the lead, at most 255 characters. */
  ref?: string | undefined
}

const knownInPostback = { event: 1, ref: 1 } satisfies Known<Postback<Vocabulary>>

/**
 * Appends an event and the advertiser's reference to the text of a postback URL, which otherwise stays unchanged.
 * @throws ConfigError it is not a `PostbackUrl`, it already has another event or reference, or a field is unknown.
 * @throws ValidationError the event is not in the vocabulary, or the reference is not a string or too long.
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
  if (!ref.isWellFormed()) return 'must not contain a lone surrogate'
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
  // `fetch` would rewrite an apostrophe, which `encodeURIComponent` leaves alone.
  const written = encodeURIComponent(value).replaceAll("'", '%27')
  if (carried === null) return `${text}${text.endsWith('&') ? '' : '&'}${name}=${written}`
  if (canonical(carried) === canonical(value)) return text
  throw new ConfigError(
    `The postback URL already has another \`${name}\`. Report that one, or ask the service for a URL without it.`,
  )
}
