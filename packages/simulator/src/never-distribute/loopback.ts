import { withoutFinalDot } from './host-name.ts'
import { isInNetwork, readIpAddress, readIpNetwork } from './ip-address.ts'

const loopbacks = ['127.0.0.0/8', '::1/128'].map(readIpNetwork)

/**
 * Whether a URL's host or an IP address is this machine's own: `localhost`, 127.0.0.0/8 or ::1, in every spelling.
 * An address that only leads here by a translation on the way (`64:ff9b::7f00:1`) is not.
 */
export function isLoopback(host: string): boolean {
  const name = withoutFinalDot(host.toLowerCase().replace(/^\[|\]$/g, ''))
  const address = readIpAddress(name)
  return address ? loopbacks.some(network => isInNetwork(address, network)) : name === 'localhost'
}
