import { acceptedPixelEvents } from '@lead-distribution/contract'
import { type Postback, type PostbackUrl, postbackText } from './postback-url.ts'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '"': '&quot;',
  "'": '&#39;',
  '<': '&lt;',
  '>': '&gt;',
}

/**
 * A postback as an `<img>` tag, escaped, for a page that cannot call `fire` on its server.
 * It is fired each time that the page is shown, at once and unseen, by itself and without a script; a repeat is
 * `ignored`. The service's answer is lost.
 *
 * Everyone with access to the page, or to its source in a cache or a log, has the token and can report any other event of this
 * lead. Put it only on a page that is the customer's own and is not cached, and prefer `fire`.
 * @throws ConfigError the URL carries another event or another `ref` already.
 * @throws ValidationError the event is no event of a pixel, or `ref` is too long.
 * @example
 * ```ts
 * import { postbackImage } from '@lead-distribution/advertiser-sdk'
 *
 * const url = advertiser.parsePostbackUrl(postbackUrl)
 * const html = `<p>Welcome.</p>${postbackImage(url, { event: 'registration' })}`
 * ```
 */ // Spec 4.3
export function postbackImage(url: PostbackUrl, postback: Postback<'known'>): string {
  const src = postbackText(url, postback, acceptedPixelEvents).replace(
    /[&"'<>]/g,
    character => entities[character] ?? '',
  )
  // Not lazy: what is hidden would never be fetched. No style attribute: a page's policy may refuse it.
  return `<img src="${src}" width="1" height="1" alt="" hidden loading="eager" referrerpolicy="no-referrer">`
}
