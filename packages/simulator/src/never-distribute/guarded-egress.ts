import type { Egress } from '@lead-distribution/engine'
import type { Dialer } from '../ports/dialer.ts'
import { refuseCallbackUrl, refuseDialledAddress } from './callback-target.ts'

/** The one way out of the sandbox: a callback, to a target that is allowed now and at an address that is allowed when it is dialled. */
export function createGuardedEgress(dialer: Pick<Dialer, 'get'>, allowedHosts: readonly string[]): Egress {
  return {
    async send(callback) {
      const refused = refuseCallbackUrl(callback.url, allowedHosts)
      if (refused !== undefined) return { error: `not sent: the callback URL ${refused}` }
      const { hostname } = new URL(callback.url)
      return dialer.get({ ...callback, refuseAddress: address => refuseDialledAddress(hostname, address) })
    },
  }
}
