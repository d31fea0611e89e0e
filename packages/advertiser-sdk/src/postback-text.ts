import { acceptedPixelEvents, canonicalEvent, type FieldIssue, maxRefLength } from '@lead-distribution/contract'
import { ConfigError, ValidationError } from '@lead-distribution/sdk-core/errors'
import { exposedText, type PostbackUrl } from './postback-url.ts'
import type { EventOf, Vocabulary } from './vocabulary.ts'

/** The content of a postback (Spec 4.3). */
export interface Postback<Names extends Vocabulary> {
  /** What happened to the lead. */
  event: EventOf<Names>
  /** The advertiser's own reference of the lead, at most 255 characters. */
  ref?: string | undefined
}

/**
 * The text of a postback URL with an event, and the advertiser's own reference, appended as text. What it carries
 * already does not change.
 * @throws ConfigError it is no PostbackUrl, or carries another event or another reference already.
 * @throws ValidationError the event is none of these, or the reference is no text or too long.
 */
export function postbackText(url: PostbackUrl, postback: Postback<Vocabulary>, events: readonly string[]): string {
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
  if (carried === null) return `${text}${text.endsWith('&') ? '' : '&'}${name}=${encodeURIComponent(value)}`
  if (canonical(carried) === canonical(value)) return text
  throw new ConfigError(
    `The postback URL carries another \`${name}\` already. Report that one, or ask for a URL without.`,
  )
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '"': '&quot;',
  "'": '&#39;',
  '<': '&lt;',
  '>': '&gt;',
}

/**
 * A postback as an `<img>` tag, escaped, for a page that cannot call `fire` on its server (Spec 4.3).
 * It is fired each time that the page is shown, at once and unseen, by itself and without a script; a repeat is
 * `ignored`. The service's answer is lost.
 *
 * Everyone with access to the page, or to its source in a cache or a log, has the token and can report any other event of this
 * lead. Put it only on a page that is the customer's own and is not cached, and prefer `fire`.
 * @throws ConfigError the URL carries another event or another `ref` already.
 * @throws ValidationError the event is no event of a pixel, or `ref` is too long.
 */
export function postbackImage(url: PostbackUrl, postback: Postback<'known'>): string {
  const src = postbackText(url, postback, acceptedPixelEvents).replace(
    /[&"'<>]/g,
    character => entities[character] ?? '',
  )
  // Not lazy: what is hidden would never be fetched. No style attribute: a page's policy may refuse it.
  return `<img src="${src}" width="1" height="1" alt="" hidden loading="eager" referrerpolicy="no-referrer">`
}
