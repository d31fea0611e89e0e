import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ipv4InRange, isIpv4Range } from './ipv4-range.ts'

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
  ])('is not %j', text => {
    expect(isIpv4Range(text)).toBe(false)
  })

  it('holds its first and its last address, and neither neighbour', () => {
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

  it('of no bits holds every address', () => {
    fc.assert(fc.property(fc.nat(0xffff_ffff), number => ipv4InRange(dotted(number), '0.0.0.0/0')))
  })
})
