import { ConfigError } from '@lead-distribution/sdk-core/errors'
import { isRedirectUrl } from './redirect-url.ts'
import type { Distributed } from './submit-result.ts'

/**
 * The reply that sends the customer on: `303` to the lead's `redirect_url`, not to be cached. Takes nothing but
 * a distributed lead, for no other one may be redirected (Spec 1).
 * @throws ConfigError where plain JavaScript hands over anything else.
 */
export function redirectResponse(to: Distributed): Response {
  if (to?.outcome !== 'distributed' || !isRedirectUrl(to.redirect_url)) {
    throw new ConfigError('Only a distributed lead is redirected. Look at `outcome` first.')
  }
  return new Response(null, { status: 303, headers: { location: to.redirect_url, 'cache-control': 'no-store' } })
}
