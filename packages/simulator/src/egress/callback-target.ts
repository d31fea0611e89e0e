import { basePath, type IpAddress, isInNetwork, readIpAddress, readIpNetwork } from '@lead-distribution/contract'
import { sandboxPath } from '../urls.ts'
import { refusedReason } from './refused-networks.ts'

/**
 * Normalizes a host as URLs do: lower case, punycode, dotted-decimal IPv4, compressed IPv6 in brackets, and without a DNS
 * name's trailing dot. Undefined for anything but a host: a URL, a pattern, a host with a port.
 */
export function canonicalHost(host: string): string | undefined {
  const text = /^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(host) ? `[${host}]` : host
  if (/[/?#@\\*\s]|:\d*$/.test(text) || !URL.canParse(`http://${text}/`)) return undefined
  return withoutFinalDot(new URL(`http://${text}/`).hostname) || undefined
}

/**
 * Normalizes an entry of the allowed hosts, a host with or without a port, like {@link canonicalHost}. Undefined for
 * anything else.
 */
export function canonicalTarget(text: string): string | undefined {
  const [, host = text, port] = /^(\[.*\]|[^:]*):(\d{1,5})$/.exec(text) ?? []
  const canonical = canonicalHost(host)
  if (port === undefined || canonical === undefined) return canonical
  return Number(port) >= 1 && Number(port) <= 65_535 ? `${canonical}:${Number(port)}` : undefined
}

/** Removes the trailing dot of a host name, which has no meaning here. */
export function withoutFinalDot(hostname: string): string {
  return hostname.replace(/\.$/, '')
}

const loopbacks = ['127.0.0.0/8', '::1/128'].map(readIpNetwork)

/**
 * Returns true if a URL's host or an IP address is a loopback one: `localhost`, any name below it (RFC 6761), 127.0.0.0/8
 * or ::1, in any notation. Returns false for an address that leads here only by translation (`64:ff9b::7f00:1`).
 */
export function isLoopback(host: string): boolean {
  const name = withoutFinalDot(host.toLowerCase().replace(/^\[|\]$/g, ''))
  const address = readIpAddress(name)
  return address ? loopbacks.some(network => isInNetwork(address, network)) : /(^|\.)localhost$/.test(name)
}

/** The sandbox's address and audience, which decide the allowed targets on its own machine. */
export interface Place {
  /** True if other machines can reach the sandbox. Targets on its own machine then need to be allowed by host and port. */
  readonly isShared: boolean
  /**
   * True if only the hosts allowed at startup count: without a token, anyone who reaches the sandbox could allow more.
   * Default: false.
   */
  readonly hasFixedHosts?: boolean
  /**
   * True if tenants may record requests in full (`journal_bodies`), which new ones then do. Has no effect if others reach
   * the sandbox, or with an admin token. Default: false.
   */
  readonly keepsFullRequests?: boolean
  /** The sandbox as a target; undefined if it accepts no connections. */
  readonly self?: Self | undefined
}

/** The addresses at which a sandbox would reach itself. */
export interface Self {
  /** The public URL, with the path that it is mounted at. */
  readonly url: string
  readonly port: number
  /** True if the whole port belongs to the sandbox. An application that mounts it serves other paths there. */
  readonly hasWholePort: boolean
  /** The current addresses of this machine, besides loopback. */
  readonly addresses: () => readonly string[]
}

/** The default: a sandbox that only this process or this machine reaches. */
export const onlyHere: Place = { isShared: false }

/**
 * Returns the reason why callbacks must not go to a URL; undefined if they may. Allowed are this machine and any host
 * allowed by name, at startup or later for one tenant. On a shared sandbox, ports of this machine must be allowed by name
 * too. The sentence says how to allow the URL, or that nothing can.
 */
export function refuseCallbackUrl(
  text: string,
  allowedHosts: readonly string[],
  place: Place = onlyHere,
): string | undefined {
  const malformed = refuseForm(text)
  if (malformed !== undefined) return malformed
  const url = new URL(text)
  const { hostname } = url
  if (leadsToSelf(url, place)) return `${selfRefused}; a tenant without a callback URL has an inbox`
  if (isLoopback(hostname)) return refuseLocal(url, allowedHosts, place)
  const address = readIpAddress(hostname.replace(/^\[|\]$/g, ''))
  const reason = address && refusedReason(address)
  if (reason !== undefined) return `goes to ${hostname}, ${reason}: ${noFlag}`
  const name = withoutFinalDot(hostname)
  if (isAllowed([name, targetOf(url)], allowedHosts)) return undefined
  return `goes to a host that is not allowed: callbacks stay on the sandbox's machine unless its operator ${allowing(name)}`
}

/** Returns the reason why leads must not be forwarded to a URL; undefined if they may. Leads stay on this machine. */
export function refuseBackendUrl(
  text: string,
  allowedHosts: readonly string[] = [],
  place: Place = onlyHere,
): string | undefined {
  const malformed = refuseForm(text)
  if (malformed !== undefined) return malformed
  const url = new URL(text)
  if (leadsToSelf(url, place)) return selfRefused
  return isLoopback(url.hostname)
    ? refuseLocal(url, allowedHosts, place)
    : `goes to ${url.hostname}: leads are forwarded on this machine only, and no flag allows another host; call the back end 127.0.0.1`
}

/** Returns the hosts that a tenant's callbacks may go to: those allowed at startup and those allowed for the tenant. */
export function allowedHosts(
  atStart: readonly string[],
  own: readonly string[] | undefined,
  { hasFixedHosts }: Place,
): readonly string[] {
  return hasFixedHosts || !own ? atStart : [...atStart, ...own]
}

/** Returns the reason why a host, with or without a port, must not be allowed; undefined if it may. */
export function refuseAllowedHost(text: string, place: Place): string | undefined {
  const target = canonicalTarget(text)
  if (target === undefined)
    return 'must be only a host name or an address, with or without a port, such as qa.example or 127.0.0.1:3000'
  const url = new URL(`http://${target}/`)
  if (place.isShared && isLoopback(url.hostname) && target === canonicalHost(target))
    return `must name a port, such as ${target}:3000: other users share this machine, so each port must be allowed individually`
  return refuseCallbackUrl(url.href, [target], place)
}

export function targetOf(url: URL): string {
  return `${withoutFinalDot(url.hostname)}:${portOf(url)}`
}

export const portOf = ({ port, protocol }: URL) => Number(port || (protocol === 'https:' ? 443 : 80))

const isAllowed = (targets: readonly string[], allowedHosts: readonly string[]) =>
  allowedHosts.some(allowed => targets.includes(canonicalTarget(allowed) ?? ''))

function refuseLocal(url: URL, allowedHosts: readonly string[], { isShared }: Place): string | undefined {
  const target = targetOf(url)
  if (!isShared || isAllowed([target], allowedHosts)) return undefined
  return `goes to a port of the machine that this shared sandbox runs on, which is not allowed unless its operator ${allowing(target)}`
}

const allowing = (target: string) =>
  `runs lead-sandbox hosts allow ${target}, or starts it with --allow-callback-host ${target}`

/** Returns true if a URL leads to the sandbox itself, by its own address or one of this machine's. */
function leadsToSelf(url: URL, { self }: Place): boolean {
  if (!self) return false
  const own = new URL(self.url)
  const isPublic = withoutFinalDot(url.hostname) === withoutFinalDot(own.hostname) && portOf(url) === portOf(own)
  const address = url.hostname.replace(/^\[|\]$/g, '')
  const isLocal = portOf(url) === self.port && (isLoopback(address) || isOneOf(address, self.addresses()))
  return (isPublic || isLocal) && isPathOf(url, self)
}

/**
 * Returns true if a path belongs to the sandbox. All do, unless an application mounts the sandbox; such mounts are
 * case-insensitive.
 */
function isPathOf({ pathname }: URL, { url, hasWholePort }: Self): boolean {
  const mount = new URL(url).pathname.replace(/\/$/, '')
  const own = [`${mount}${sandboxPath}/`, `${mount}${basePath}/`]
  return hasWholePort || own.some(path => pathname.toLowerCase().startsWith(path.toLowerCase()))
}

function isOneOf(address: string, addresses: readonly string[]): boolean {
  const read = readIpAddress(address)
  return read !== undefined && addresses.some(other => isSameAddress(readIpAddress(other), read))
}

const isSameAddress = (one: IpAddress | undefined, other: IpAddress) =>
  one?.every((byte, place) => byte === other[place]) === true

const selfRefused = 'goes to the sandbox itself, which is never called, and no flag allows it'

function refuseForm(text: string): string | undefined {
  if (!URL.canParse(text)) return 'must be an absolute URL, such as http://127.0.0.1:3000/callbacks'
  const { protocol, username, password } = new URL(text)
  if (protocol !== 'http:' && protocol !== 'https:') return 'must begin with http:// or https://'
  return username === '' && password === '' ? undefined : 'must not contain a user name or a password'
}

/** Returns the reason why a resolved address must not be dialed; undefined if it may. Pass the exact address to dial. */
export function refuseDialedAddress(url: URL, address: string, { self }: Place = onlyHere): string | undefined {
  const { hostname } = url
  if (isLoopback(hostname))
    return isLoopback(address)
      ? undefined
      : `${hostname} has the address ${address}, which is not this machine's: ${noFlag}`
  const read = readIpAddress(address)
  const reason = read ? refusedReason(read) : 'which is not an IP address'
  if (reason !== undefined) return `${hostname} has the address ${address}, ${reason}: ${noFlag}`
  const isSelf = self && portOf(url) === self.port && isOneOf(address, self.addresses()) && isPathOf(url, self)
  return isSelf
    ? `${hostname} has the address ${address}, where this sandbox listens: it never calls itself`
    : undefined
}

const noFlag =
  'it is never dialed, and no flag allows it, not even --allow-callback-host; call a receiver on this machine 127.0.0.1'
