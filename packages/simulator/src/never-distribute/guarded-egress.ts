import type { Egress } from '@lead-distribution/engine'
import type { Dialer } from '../ports/dialer.ts'
import { refuseCallbackUrl, refuseDialledAddress } from './callback-target.ts'

/** All headers that a callback may carry: those of its signature. */
const signatureHeaders: readonly string[] = ['webhook-id', 'webhook-timestamp', 'webhook-signature']

/**
 * The one way out of the sandbox: a callback without a body, to a target that is allowed now and at an address that is
 * allowed when it is dialled. What is refused is not sent, and the reply says why.
 */
export function createGuardedEgress(dialer: Pick<Dialer, 'get'>, allowedHosts: readonly string[]): Egress {
  return {
    async send({ url, headers, timeoutMs }) {
      const refused = refuseCallbackUrl(url, allowedHosts)
      if (refused !== undefined) return { error: `not sent: the callback URL ${refused}` }
      const extra = Object.keys(headers).find(name => !signatureHeaders.includes(name))
      if (extra !== undefined)
        return { error: `not sent: a callback carries no header ${extra}, but those of its signature alone` }
      const { hostname } = new URL(url)
      return dialer.get({ url, headers, timeoutMs, refuseAddress: address => refuseDialledAddress(hostname, address) })
    },
  }
}
