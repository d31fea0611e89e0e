import { BlockList, isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromIpv4, isInNetwork, readIpAddress, readIpNetwork } from './ip-address.ts'

const ipv4 = fc.ipV4()
const ipv6 = fc.ipV6()
/** Texts that look like addresses, right ones and wrong ones. */
const almost = fc.string({ unit: fc.constantFrom(...'0123456789abfF:.%x'), maxLength: 24 })

describe('readIpAddress', () => {
  it.each([
    ['127.0.0.1', '::ffff:7f00:1'],
    ['::ffff:127.0.0.1', '::ffff:7f00:1'],
    ['::FFFF:A9FE:A9FE', '169.254.169.254'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['1::', '1:0:0:0:0:0:0:0'],
    ['64:ff9b::1.2.3.4', '64:ff9b::102:304'],
  ])('reads %s as it reads %s', (one, other) => {
    expect(readIpAddress(one)).toHaveLength(16)
    expect(readIpAddress(one)).toEqual(readIpAddress(other))
  })

  it.each([
    ...['', 'localhost', '1.2.3', '1.2.3.4.5', '1.2.3.256', '01.2.3.4', '0x7f.0.0.1', '2130706433', '1.2.3.4%eth0'],
    ...[':', ':::', '1::2::3', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '1:2:3:4::5:6:7:8', '::12345', '::g', '[::1]'],
    ...['::1.2.3', '1.2.3.4::', '::ffff:1.2.3.4:5', ':1.2.3.4'],
  ])('reads no address in %j', text => {
    expect(readIpAddress(text)).toBeUndefined()
  })

  it('takes and refuses what Node takes and refuses', () => {
    fc.assert(
      fc.property(fc.oneof(ipv4, ipv6, almost), text => {
        fc.pre(!text.endsWith('%'))
        expect(readIpAddress(text) !== undefined).toBe(isIP(text) !== 0)
      }),
    )
  })

  it('reads every spelling of an IPv6 address as a URL does', () => {
    fc.assert(
      fc.property(ipv6, text => {
        const { hostname } = new URL(`http://[${text}]/`)
        expect(readIpAddress(text)).toEqual(readIpAddress(hostname.slice(1, -1)))
      }),
    )
  })
})

describe('isInNetwork', () => {
  it.each([
    ['10.255.255.255', '10.0.0.0/8', true],
    ['11.0.0.0', '10.0.0.0/8', false],
    ['9.255.255.255', '10.0.0.0/8', false],
    ['febf:ffff::', 'fe80::/10', true],
    ['fec0::', 'fe80::/10', false],
    ['fe7f:ffff::', 'fe80::/10', false],
    ['::1', '::1/128', true],
    ['::2', '::1/128', false],
    ['::ffff:10.1.2.3', '10.0.0.0/8', true],
    ['::10.1.2.3', '10.0.0.0/8', false],
  ])('%s in %s: %s', (address, network, inside) => {
    expect(isInNetwork(readIpAddress(address) ?? [], readIpNetwork(network))).toBe(inside)
  })

  it("judges as Node's list of networks does", () => {
    const family = (text: string) => (isIP(text) === 4 ? 'ipv4' : 'ipv6')
    // A flipped bit takes an address to the other side of the border at each length.
    const near = fc.tuple(fc.oneof(ipv4, ipv6), fc.nat(128), fc.nat(127))
    fc.assert(
      fc.property(near, ([network, length, bit]) => {
        const [bits, offset] = isIP(network) === 4 ? [length % 33, 96] : [length, 0]
        const list = new BlockList()
        list.addSubnet(network, bits, family(network))
        const flipped = [...(readIpAddress(network) ?? [])]
        const at = offset + (bit % (128 - offset))
        flipped[at >> 3] = (flipped[at >> 3] ?? 0) ^ (128 >> (at & 7))
        const text = offset > 0 ? flipped.slice(12).join('.') : ipv6Text(flipped)
        expect(isInNetwork(flipped, readIpNetwork(`${network}/${bits}`))).toBe(list.check(text, family(text)))
      }),
    )
  })

  it('is asked for a network that is one', () => {
    expect(() => readIpNetwork('localhost/8')).toThrow(RangeError)
  })
})

it('puts four bytes where a mapped address has them', () => {
  expect(fromIpv4([1, 2, 3, 4])).toEqual(readIpAddress('1.2.3.4'))
})

function ipv6Text(bytes: readonly number[]): string {
  const group = (index: number) => (((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0)).toString(16)
  return Array.from({ length: 8 }, (_, index) => group(index)).join(':')
}
