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
  /** Id of the lead, a UUID. */
  readonly lead_id: string

  private constructor(text: string, leadId: string) {
    this.#text = text
    this.lead_id = leadId
  }

  /**
   * Checks that a text is a postback URL of the service at this base address. It is not rebuilt: URL libraries
   * rewrite what stands in a token.
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
