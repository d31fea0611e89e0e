import { isInNetwork, readIpAddress, readIpNetwork } from '@lead-distribution/contract'

/**
 * A host as URLs spell it: lower case, punycode, IPv4 in four decimal parts, an IPv6 address in brackets and shortened,
 * without the dot that ends a name of DNS. Undefined where it is more than a host: a URL, a pattern, a host with a port.
 */
export function canonicalHost(host: string): string | undefined {
  const text = /^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(host) ? `[${host}]` : host
  if (/[/?#@\\*\s]|:\d*$/.test(text) || !URL.canParse(`http://${text}/`)) return undefined
  return withoutFinalDot(new URL(`http://${text}/`).hostname) || undefined
}

/** A host name without the final dot: with it and without it, it is the same name. */
export function withoutFinalDot(hostname: string): string {
  return hostname.replace(/\.$/, '')
}

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
