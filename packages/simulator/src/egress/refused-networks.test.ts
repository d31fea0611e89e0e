import { isIP } from 'node:net'
import { readIpAddress } from '@lead-distribution/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { refusedNetworks, refusedReason } from './refused-networks.ts'

const reasonOf = (text: string) => refusedReason(readIpAddress(text) ?? expect.fail(`${text} is not an address.`))

/** Returns all IPv6 addresses that lead to an IPv4 address. */
function formsOf(ipv4: string): string[] {
  const bytes = ipv4.split('.').map(Number)
  const hex = (from: readonly number[]) => from.map(byte => byte.toString(16).padStart(2, '0')).join('')
  const groups = (from: readonly number[]) => hex(from).replace(/^(.{4})/, '$1:')
  return [
    `::ffff:${ipv4}`,
    `::ffff:${groups(bytes)}`,
    `::${groups(bytes)}`,
    `::ffff:0:${groups(bytes)}`,
    `64:ff9b::${groups(bytes)}`,
    `2002:${groups(bytes)}::1`,
    `2001:0:${groups(bytes)}:0:0:a247:27dd`,
    `2001:0:5db8:d822::${groups(bytes.map(byte => 255 - byte))}`,
  ]
}

describe('an address that is never dialed', () => {
  it.each([
    ...['0.0.0.0', '0.255.255.255', '127.0.0.1', '127.255.255.255', '169.254.0.0', '169.254.169.254'],
    ...['169.254.255.255', '100.100.100.200', '168.63.129.16', '192.0.0.192', '192.0.0.0', '192.0.0.255'],
    ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
    ...['::', '::1', 'fe80::1', 'febf::1', 'fe80::1%eth0', 'ff02::1', 'fd00:ec2::254', 'fd00:ec2::23'],
    ...['fd20:ce::254', 'fd00:42::42', 'fd00:c1::a9fe:a9fe', '64:ff9b:1::a9fe:a9fe', '64:ff9b:1:a9fe:a9:fe00::'],
  ])('is %s', address => {
    expect(reasonOf(address)).toEqual(expect.any(String))
  })

  it.each(refusedNetworks)('is the first address of $network: $reason', ({ network, reason }) => {
    expect(reasonOf(network.split('/')[0] ?? '')).toBe(reason)
  })

  it.each(['169.254.169.254', '127.0.0.1', '0.0.0.0', '100.100.100.200'].flatMap(formsOf))('is %s', address => {
    expect(isIP(address)).toBe(6)
    expect(reasonOf(address)).toEqual(expect.any(String))
  })

  it('is reported with the translation that leads to it', () => {
    expect(reasonOf('64:ff9b::a9fe:a9fe')).toBe(`by NAT64 ${reasonOf('169.254.169.254')}`)
  })

  it('is any IPv6 address that leads to a refused IPv4 address, and none that leads to another', () => {
    fc.assert(
      fc.property(fc.ipV4(), ipv4 => {
        const refused = reasonOf(ipv4) !== undefined
        for (const form of formsOf(ipv4)) expect([form, reasonOf(form) !== undefined]).toEqual([form, refused])
      }),
    )
  })
})

it.each([
  ...['93.184.216.34', '10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', '1.0.0.0', '126.255.255.255'],
  ...['128.0.0.0', '169.253.255.255', '169.255.0.0', '100.100.100.199', '100.100.100.201', '168.63.129.17'],
  ...['191.255.255.255', '192.0.1.0', '223.255.255.255', '2606:4700::1111', 'fd12:3456::1', 'fec0::1', 'fe7f::1'],
  ...[
    'fd00:ec1::1',
    'fd00:ec3::1',
    '::ffff:10.0.0.1',
    '64:ff9b::5db8:d822',
    '64:ff9b:2::1',
    '2002:a00:1::1',
    '2003::1',
  ],
])('an allowed host may have the address %s', address => {
  expect(reasonOf(address)).toBeUndefined()
})
