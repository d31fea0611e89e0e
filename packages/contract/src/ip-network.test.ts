import { BlockList, isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromIpv4, hasPort, ipv4InRange, isInNetwork, isIpv4Range, readIpAddress, readIpNetwork } from './ip-network.ts'

const ipv4 = fc.ipV4()
const ipv6 = fc.ipV6()
/** Texts that look like addresses, valid and invalid. */
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
  ])('parses %s like %s', (one, other) => {
    expect(readIpAddress(one)).toHaveLength(16)
    expect(readIpAddress(one)).toEqual(readIpAddress(other))
  })

  it.each([
    ...['', 'localhost', '1.2.3', '1.2.3.4.5', '1.2.3.256', '01.2.3.4', '0x7f.0.0.1', '2130706433', '1.2.3.4%eth0'],
    ...[':', ':::', '1::2::3', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '1:2:3:4::5:6:7:8', '::12345', '::g', '[::1]'],
    ...['::1.2.3', '1.2.3.4::', '::ffff:1.2.3.4:5', ':1.2.3.4'],
  ])('finds no address in %j', text => {
    expect(readIpAddress(text)).toBeUndefined()
  })

  it('accepts and refuses the same texts as Node', () => {
    fc.assert(
      fc.property(fc.oneof(ipv4, ipv6, almost), text => {
        fc.pre(!text.endsWith('%'))
        expect(readIpAddress(text) !== undefined).toBe(isIP(text) !== 0)
      }),
    )
  })

  it('parses every spelling of an IPv6 address like a URL parser', () => {
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
    ['::ffff:10.1.2.3', '10.0.0.0/8', true],
    ['::10.1.2.3', '10.0.0.0/8', false],
  ])('%s in %s: %s', (address, network, inside) => {
    expect(isInNetwork(readIpAddress(address) ?? [], readIpNetwork(network))).toBe(inside)
  })

  it("agrees with Node's BlockList", () => {
    const family = (text: string) => (isIP(text) === 4 ? 'ipv4' : 'ipv6')
    // At each prefix length, a flipped bit moves an address across the boundary.
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

  it.each([
    ['203.0.113.7', '::ffff:203.0.113.7', true],
    ['203.0.113.7', '203.0.113.6', false],
    ['::1', '::1', true],
    ['::1', '::', false],
    ['::ffff:203.0.113.0/120', '203.0.113.255', true],
    ['::ffff:203.0.113.0/120', '203.0.112.255', false],
  ])('treats an address as its own network, and a mapped network as IPv4: %s, %s', (network, address, is) => {
    expect(isInNetwork(readIpAddress(address) ?? [], readIpNetwork(network))).toBe(is)
  })

  it.each([
    'localhost/8',
    '',
    '/8',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/08',
    '10.0.0.0/8/8',
    '::/129',
    '10.0.0.0/-1',
  ])('throws for the invalid network %j', text => expect(() => readIpNetwork(text)).toThrow(RangeError))
})

it.each([
  ['203.0.113.7:51234', true],
  ['::ffff:203.0.113.7:1', true],
  ['[2001:db8::7]:443', true],
  ['203.0.113.7', false],
  ['::ffff:203.0.113.7', false],
  ['2001:db8::7', false],
  ['[::1]', false],
  ['localhost:80', false],
])('recognizes an address with a port in %s: %s', (text, has) => expect(hasPort(text)).toBe(has))

it('places the four bytes as in a mapped address', () => {
  expect(fromIpv4([1, 2, 3, 4])).toEqual(readIpAddress('1.2.3.4'))
})

function ipv6Text(bytes: readonly number[]): string {
  const group = (index: number) => (((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0)).toString(16)
  return Array.from({ length: 8 }, (_, index) => group(index)).join(':')
}

const dotted = (number: number) => [24, 16, 8, 0].map(shift => (number >>> shift) & 255).join('.')

describe('an IPv4 network', () => {
  it.each(['0.0.0.0/0', '192.0.2.0/24', '255.255.255.255/32', '10.0.0.0/8', '1.2.3.4/31', '127.0.0.1/9'])(
    'is %s',
    text => {
      expect(isIpv4Range(text)).toBe(true)
    },
  )

  it.each([
    '',
    '192.0.2.0',
    '192.0.2.0/',
    '192.0.2.0/33',
    '192.0.2/24',
    '256.0.2.0/24',
    '192.0.2.0.0/24',
    '192.0.2.0/24 ',
    '::/0',
    '192.0.2.0./24',
    '192.0.2.0/-1',
    'a.b.c.d/8',
    '192.0.2.0/024',
  ])('refuses %j', text => {
    expect(isIpv4Range(text)).toBe(false)
  })

  it('contains its first and its last address, and neither neighbor', () => {
    fc.assert(
      fc.property(fc.nat(0xffff_ffff), fc.integer({ min: 1, max: 32 }), (number, bits) => {
        const size = 2 ** (32 - bits)
        const first = Math.floor(number / size) * size
        const last = first + size - 1
        const range = `${dotted(number)}/${bits}`
        expect(ipv4InRange(dotted(first), range)).toBe(true)
        expect(ipv4InRange(dotted(last), range)).toBe(true)
        if (first > 0) expect(ipv4InRange(dotted(first - 1), range)).toBe(false)
        if (last < 0xffff_ffff) expect(ipv4InRange(dotted(last + 1), range)).toBe(false)
      }),
    )
  })

  it('with a zero-length prefix contains every address', () => {
    fc.assert(
      fc.property(fc.nat(0xffff_ffff), number => {
        expect(ipv4InRange(dotted(number), '0.0.0.0/0')).toBe(true)
      }),
    )
  })
})
