import { isInNetwork, readIpAddress, readIpNetwork } from '@lead-distribution/contract'
import { refusedReason } from './refused-networks.ts'

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
 * Whether a URL's host or an IP address is this machine's own: `localhost`, any name below it (RFC 6761), 127.0.0.0/8 or
 * ::1, in every spelling.
 * An address that only leads here by a translation on the way (`64:ff9b::7f00:1`) is not.
 */
export function isLoopback(host: string): boolean {
  const name = withoutFinalDot(host.toLowerCase().replace(/^\[|\]$/g, ''))
  const address = readIpAddress(name)
  return address ? loopbacks.some(network => isInNetwork(address, network)) : /(^|\.)localhost$/.test(name)
}

/**
 * Why callbacks must not go to a URL; undefined where they may. They go to this machine, or to a host that was
 * allowed by name, when the sandbox was started or later for one tenant. The sentence names what allows it, or says that
 * nothing does.
 */
export function refuseCallbackUrl(text: string, allowedHosts: readonly string[]): string | undefined {
  const malformed = refuseForm(text)
  if (malformed !== undefined) return malformed
  const { hostname } = new URL(text)
  if (isLoopback(hostname)) return undefined
  const address = readIpAddress(hostname.replace(/^\[|\]$/g, ''))
  const reason = address && refusedReason(address)
  if (reason !== undefined) return `goes to ${hostname}, ${reason}: ${noFlag}`
  const name = withoutFinalDot(hostname)
  if (allowedHosts.some(host => canonicalHost(host) === name)) return undefined
  return `goes to a host that is not allowed: callbacks stay on the sandbox's machine unless its operator runs lead-sandbox hosts allow ${name}, or starts it with --allow-callback-host ${name}`
}

/** Why leads must not be handed over to a URL; undefined where they may: to this machine, whatever else is allowed. */
export function refuseBackendUrl(text: string): string | undefined {
  const malformed = refuseForm(text)
  if (malformed !== undefined) return malformed
  const { hostname } = new URL(text)
  return isLoopback(hostname)
    ? undefined
    : `goes to ${hostname}: a lead is handed over on this machine only, and no flag allows another host; call the back end 127.0.0.1`
}

function refuseForm(text: string): string | undefined {
  if (!URL.canParse(text)) return 'must be an absolute URL, such as http://127.0.0.1:3000/callbacks'
  const { protocol, username, password } = new URL(text)
  if (protocol !== 'http:' && protocol !== 'https:') return 'must begin with http:// or https://'
  return username === '' && password === '' ? undefined : 'must hold no user name and no password'
}

/**
 * Why an address that the host of a callback URL turned out to have must not be dialled; undefined where it may.
 * Called with the very address that is dialled, so that a name cannot point elsewhere in between.
 */
export function refuseDialledAddress(hostname: string, address: string): string | undefined {
  if (isLoopback(hostname))
    return isLoopback(address)
      ? undefined
      : `${hostname} has the address ${address}, which is not this machine's: ${noFlag}`
  const read = readIpAddress(address)
  const reason = read ? refusedReason(read) : 'which is no IP address'
  return reason === undefined ? undefined : `${hostname} has the address ${address}, ${reason}: ${noFlag}`
}

const noFlag =
  'it is never dialled, and no flag allows it, not even --allow-callback-host; call a receiver on this machine 127.0.0.1'
