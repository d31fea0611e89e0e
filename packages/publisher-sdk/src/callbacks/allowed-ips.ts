import { ipv4InRange, isIpv4Range } from '@lead-distribution/contract'
import { ConfigError } from '@lead-distribution/sdk-core/callbacks'

/** Refuses what no peer's address would ever equal. @throws ConfigError */
export function checkAllowedIps(allowed: readonly string[] | undefined): void {
  const isAddress = (ip: unknown) =>
    typeof ip === 'string' && (isIpv4Range(rangeOf(ip)) || /^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(ip))
  if (allowed !== undefined && !(Array.isArray(allowed) && allowed.every(isAddress))) {
    throw new ConfigError(
      '`allowedIps` must be a list of IPv4 addresses, IPv4 networks such as 203.0.113.0/24, or IPv6 addresses.',
    )
  }
}

/** Whether an address is one of those that are allowed. A socket of both families writes IPv4 as `::ffff:203.0.113.7`. */
export function isAllowed(ip: string | undefined, allowed: readonly string[]): boolean {
  const address = ip?.replace(/^::ffff:(?=\d+\.)/i, '') ?? ''
  const isIpv4 = isIpv4Range(`${address}/32`)
  return allowed.some(each => (isIpv4 && !each.includes(':') ? ipv4InRange(address, rangeOf(each)) : each === address))
}

function rangeOf(allowed: string): string {
  return allowed.includes('/') ? allowed : `${allowed}/32`
}
