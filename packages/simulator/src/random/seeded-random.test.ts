import { isUuid } from '@lead-distribution/contract'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asUuid, createSeededIds, deriveFrom, type RandomKey, seededUuid } from './seeded-random.ts'

const key: RandomKey = [0x12345678, 0x9abcdef0, 0x0fedcba9, 0x87654321]
const version4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('seeded ids', () => {
  it('are UUIDs of version 4, for any key and number', async () => {
    const word = fc.nat(0xffff_ffff)
    await fc.assert(
      fc.property(fc.tuple(word, word, word, word), fc.nat(Number.MAX_SAFE_INTEGER), (words, n) => {
        expect(seededUuid(words, n)).toMatch(version4)
      }),
    )
  })

  it('do not collide within 100,000 numbers of one key', () => {
    const ids = new Set(Array.from({ length: 100_000 }, (_, n) => seededUuid(key, n)))
    expect(ids.size).toBe(100_000)
  })

  it('do not collide for 100,000 keys that differ in one bit or word', () => {
    const ids = new Set(Array.from({ length: 100_000 }, (_, n) => seededUuid([key[0], key[1], key[2], n], 0)))
    expect(ids.size).toBe(100_000)
  })

  it('differ beyond 32 bits of the number', () => {
    const ids = [0, 1, 2 ** 32, 2 ** 32 + 1, 2 ** 40].map(n => seededUuid(key, n))
    expect(new Set(ids).size).toBe(5)
  })
})

describe('a UUID from 32 digits', () => {
  it('keeps all digits except version and variant', () => {
    expect(asUuid('0123456789abcdef0123456789abcdef')).toBe('01234567-89ab-4def-8123-456789abcdef')
    expect(isUuid(asUuid('f'.repeat(32)))).toBe(true)
  })
})

describe('a derivation', () => {
  it('gives equal values for equal seeds and labels, and different values for different ones', async () => {
    const hex = async (seed: string, label: string) => (await deriveFrom(seed)).hex(label)
    expect(await hex('1', 'a')).toBe(await hex('1', 'a'))
    expect(await hex('1', 'a')).toMatch(/^[0-9a-f]{64}$/)
    expect(new Set([await hex('1', 'a'), await hex('1', 'b'), await hex('2', 'a'), await hex('', 'a')]).size).toBe(4)
  })
})

describe('the ids of a key', () => {
  const one: RandomKey = [1, 2, 3, 4]
  const other: RandomKey = [1, 2, 3, 5]

  it('continue after the newest stored id', () => {
    const ids = createSeededIds(one, undefined)
    const given = [ids.next(), ids.next(), ids.next()]
    expect(createSeededIds(one, given[1]).next()).toBe(given[2])
    ids.restore(given[0])
    expect(ids.next()).toBe(given[1])
    ids.restore(undefined)
    expect(ids.next()).toBe(given[0])
  })

  it('include past and future ids, and none of another key with the same prefix', async () => {
    const [ids, others] = [createSeededIds(one, undefined), createSeededIds(other, undefined)]
    expect(ids.prefix).toBe(others.prefix)
    await fc.assert(
      fc.property(fc.nat(2 ** 31 - 1), number => {
        expect(ids.includes(seededUuid(one, number))).toBe(true)
        expect(ids.includes(seededUuid(other, number))).toBe(false)
      }),
    )
    for (const text of ['', ids.prefix, 'zzzz0000-0000', ids.next().toUpperCase()])
      expect(ids.includes(text)).toBe(false)
    // The last one: numbering would have to start over.
    for (const number of [2 ** 31, 2 ** 32 - 1]) expect(ids.includes(seededUuid(one, number))).toBe(false)
  })
})
