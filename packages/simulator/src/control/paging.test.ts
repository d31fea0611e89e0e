import { describe, expect, it } from 'vitest'
import { maxPageBytes } from '../bounds.ts'
import { readPage } from './paging.ts'

/** A list of texts, newest first, with positions as ids. Counts reads. */
function listOf(texts: readonly string[]) {
  const reads: number[] = []
  const found = texts.map((text, place) => ({ text, id: String(place) }))
  const page = (limit?: number, before?: string) =>
    readPage({
      limit,
      before,
      async read(wanted) {
        const start = wanted.before === undefined ? 0 : Number(wanted.before) + 1
        reads.push(wanted.limit)
        return found.slice(start, start + wanted.limit)
      },
      show: ({ text }) => text,
      idOf: ({ id }) => id,
    })
  return { page, reads }
}

const small = (count: number) => new Array<string>(count).fill('x')
/** Returns a text with the given number of bytes as JSON. */
const bytes = (size: number) => 'x'.repeat(size - 2)

describe('a page of a list', () => {
  it.each([
    [0, 50, undefined],
    [49, 49, undefined],
    [50, 50, undefined],
    [51, 50, '49'],
    [1_000, 50, '49'],
  ])('of %i entries has fifty at most', async (count, limit, next) => {
    const { entries, ...rest } = await listOf(small(count)).page()
    expect([entries.length, rest.next]).toEqual([Math.min(count, limit), next])
  })

  it('reads a list in batches, each entry once', async () => {
    const { page, reads } = listOf(small(500))
    expect((await page(500)).entries).toHaveLength(500)
    expect(Math.max(...reads)).toBeLessThanOrEqual(64)
    expect(await page(300)).toMatchObject({ next: '299' })
    expect((await page(500, '299')).entries).toHaveLength(200)
  })

  it.each([
    ['ends before the entry that would exceed the limit', [bytes(maxPageBytes - 10), bytes(11), 'x'], 1],
    ['may have exactly the maximum size', [bytes(maxPageBytes - 10), bytes(10), 'x'], 2],
    ['has at least one entry, however large', [bytes(maxPageBytes + 1), 'x'], 1],
    ['counts bytes, not characters', ['é'.repeat(maxPageBytes / 2), 'x'], 1],
  ])('%s', async (_what, texts, count) => {
    const { page } = listOf(texts)
    expect(await page()).toEqual({ entries: texts.slice(0, count), next: String(count - 1) })
    expect((await page(50, String(count - 1))).entries).toEqual(texts.slice(count))
  })
})
