import { ipv4InRange } from '../ip-network.ts'

/** Addresses that are kept for documentation (RFC 5737): no customer is there. */
export const documentationAddresses = ['203.0.113.7', '198.51.100.7', '192.0.2.7'] as const

/** An address outside all of these networks (IPv4, CIDR). Throws where they leave none of those that are nobody's. */
export function addressOutside(ranges: readonly string[]): string {
  const address = documentationAddresses.find(candidate => !ranges.some(range => ipv4InRange(candidate, range)))
  if (address !== undefined) return address
  throw new Error(
    `No test lead can pass the fraud rule: leave one of ${documentationAddresses.join(', ')} out of the product's fraud_ip_ranges.`,
  )
}

/** An address inside the first of these networks. Throws where there is none. */
export function addressInside([range]: readonly string[]): string {
  const [address] = range?.split('/') ?? []
  if (address !== undefined) return address
  throw new Error("No test lead is suspected of fraud: add a network to the product's fraud_ip_ranges.")
}
