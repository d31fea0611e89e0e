import { fromIpv4, type IpAddress, isInNetwork, readIpNetwork } from '@lead-distribution/contract'

/** Networks that are never dialed. Does not include private ones, where a QA team's receiver may be. */
export const refusedNetworks = [
  { network: '0.0.0.0/8', reason: 'the unspecified address' },
  { network: '127.0.0.0/8', reason: 'a loopback address' },
  { network: '169.254.0.0/16', reason: 'a link-local address, where clouds serve their metadata' },
  { network: '100.100.100.200/32', reason: 'the metadata service of Alibaba Cloud' },
  { network: '168.63.129.16/32', reason: 'the metadata service of Azure' },
  { network: '192.0.0.0/24', reason: 'reserved for protocols, including the metadata service of Oracle Cloud' },
  { network: '224.0.0.0/4', reason: 'a multicast address' },
  { network: '240.0.0.0/4', reason: 'a reserved or broadcast address' },
  { network: '::/128', reason: 'the unspecified address' },
  { network: '::1/128', reason: 'a loopback address' },
  { network: 'fe80::/10', reason: 'a link-local address' },
  { network: 'ff00::/8', reason: 'a multicast address' },
  { network: 'fd00:ec2::/32', reason: 'the metadata service of AWS' },
  { network: 'fd20:ce::254/128', reason: 'the metadata service of Google Cloud' },
  { network: 'fd00:42::42/128', reason: 'the metadata service of Scaleway' },
  { network: 'fd00:c1::a9fe:a9fe/128', reason: 'the metadata service of Oracle Cloud' },
  // Each network chooses the position of the IPv4 address, so it cannot be checked.
  { network: '64:ff9b:1::/48', reason: 'a local translation to an unknown IPv4 address' },
] as const

/** IPv6 networks with an embedded IPv4 destination, and the offset of its first byte. */
const ipv4Carriers = [
  { network: '::/96', form: 'IPv4-compatible', at: 12 },
  { network: '::ffff:0:0:0/96', form: 'IPv4-translated', at: 12 },
  { network: '64:ff9b::/96', form: 'NAT64', at: 12 },
  { network: '2002::/16', form: '6to4', at: 2 },
  { network: '2001::/32', form: 'Teredo', at: 4 },
  { network: '2001::/32', form: 'Teredo', at: 12, inverted: true },
] as const

const refused = refusedNetworks.map(({ network, reason }) => ({ reason, range: readIpNetwork(network) }))
const carriers = ipv4Carriers.map(carrier => ({ inverted: false, ...carrier, range: readIpNetwork(carrier.network) }))

/** Returns the reason why an address is never dialed; undefined if it may be dialed for an allowed host. */
export function refusedReason(address: IpAddress): string | undefined {
  const own = refused.find(({ range }) => isInNetwork(address, range))
  return own ? own.reason : carriedReason(address)
}

function carriedReason(address: IpAddress): string | undefined {
  for (const { range, form, at, inverted } of carriers) {
    if (!isInNetwork(address, range)) continue
    const carried = fromIpv4(address.slice(at, at + 4).map(byte => (inverted ? 255 - byte : byte)))
    const found = refused.find(each => isInNetwork(carried, each.range))
    if (found) return `by ${form} ${found.reason}`
  }
  return undefined
}
