import { canonicalEvent, maxRefLength } from '@lead-distribution/contract'
import { ConfigError } from '@lead-distribution/sdk-core/errors'
import { checkPostback } from './check-postback.ts'

const redacted = 'PostbackUrl(token redacted)'
const inspect = Symbol.for('nodejs.util.inspect.custom')

/**
 * The postback URL that the service delivered with a lead (Spec 4.3), checked and kept as text. It holds a token
 * that is as good as a key for its lead, so it shows itself redacted wherever it is printed.
 */
export class PostbackUrl {
  readonly #text: string
  readonly #baseUrl: string
  /** Id of the lead, a UUID. */
  readonly lead_id: string

  private constructor(text: string, baseUrl: string, leadId: string) {
    this.#text = text
    this.#baseUrl = baseUrl
    this.lead_id = leadId
  }

  /**
   * Checks that a text is a postback URL of the service at this base address. It is not rebuilt: URL libraries
   * rewrite what stands in a token.
   * @throws ConfigError it is none; the message says what is wrong and repeats nothing of it.
   */
  static parse(raw: string, { baseUrl }: { baseUrl: string }): PostbackUrl {
    return new PostbackUrl(raw, baseUrl, checkPostback(raw, baseUrl))
  }

  /**
   * This URL with an event, and the advertiser's own reference, appended as text. What it carries already stays
   * as it is.
   * @throws ConfigError it carries another event or another reference already.
   */
  reporting(event: string, ref?: string): PostbackUrl {
    if (ref !== undefined && ref.length > maxRefLength) {
      throw new ConfigError(`\`ref\` must be at most ${maxRefLength} characters long.`)
    }
    const query = new URL(this.#text).searchParams
    const has = { event: query.get('event'), ref: query.get('ref') }
    if (has.event !== null && canonicalEvent(has.event) !== canonicalEvent(event)) {
      throw new ConfigError(
        'The postback URL carries another event already. Report that one, or ask for a URL without.',
      )
    }
    if (has.ref !== null && ref !== undefined && has.ref !== ref) {
      throw new ConfigError(
        'The postback URL carries another `ref` already. Leave `ref` out, or ask for a URL without.',
      )
    }
    let text = this.#text
    if (has.event === null) text = append(text, 'event', event)
    if (has.ref === null && ref !== undefined) text = append(text, 'ref', ref)
    return new PostbackUrl(text, this.#baseUrl, this.lead_id)
  }

  /** The whole URL, its token included. Do not log it. */
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

function append(text: string, name: string, value: string): string {
  return `${text}${/[?&]$/.test(text) ? '' : '&'}${name}=${encodeURIComponent(value)}`
}
