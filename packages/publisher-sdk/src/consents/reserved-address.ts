import { ipv4InRange } from '@lead-distribution/contract'

// Where no customer is (RFC 6890). Without the networks for documentation, which test leads come from.
const reserved = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/3',
]

/** Whether an IPv4 address is one that no customer has: private, loopback or reserved. */
export function isReservedAddress(address: string): boolean {
  return reserved.some(range => ipv4InRange(address, range))
}
