import type { CallApplication } from '@lead-distribution/certification'
import { refuseCallbackUrl, refuseDialedAddress } from '@lead-distribution/simulator'
import { createNodeDialer } from '../dialer/node-dialer.ts'

/** Timeout of a request to the application, milliseconds: the service's callback timeout (open point 10). */
const timeoutMs = 10_000

/**
 * Sends a request to the application under certification, only at hosts and addresses allowed for callbacks. Follows no
 * redirects.
 */
export function createApplicationCaller(allowedHosts: readonly string[], dialer = createNodeDialer()): CallApplication {
  return async ({ url, method, headers = {}, body }) => {
    const refused = refuseCallbackUrl(url, allowedHosts)
    if (refused !== undefined) throw new Error(`The URL of the application ${refused}.`)
    const target = new URL(url)
    const refuseAddress = (address: string) => refuseDialedAddress(target, address)
    const { status = 0 } = await dialer.request({ url, method, headers, body, timeoutMs, refuseAddress })
    return status
  }
}
