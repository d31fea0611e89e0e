import { ConfigError } from '@lead-distribution/sdk-core/errors'
import { isRedirectUrl } from './redirect-url.ts'
import type { Distributed } from './submit-result.ts'

/**
 * The reply that sends the customer on: `303` to the lead's `redirect_url`, not to be cached. Takes nothing but
 * a distributed lead, for no other one may be redirected (Spec 1). A framework without `Response` redirects by its own
 * means, `response.redirect(303, result.redirect_url)` in Express: that compiles for a distributed lead alone, too.
 * @throws ConfigError where plain JavaScript hands over anything else.
 */
export function redirectResponse(to: Distributed): Response {
  if (to?.outcome !== 'distributed' || !isRedirectUrl(to.redirect_url)) {
    throw new ConfigError('Only a distributed lead is redirected. Look at `outcome` first.')
  }
  return new Response(null, { status: 303, headers: { location: to.redirect_url, 'cache-control': 'no-store' } })
}
