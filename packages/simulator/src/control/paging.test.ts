import { describe, expect, it } from 'vitest'
import { maxPageBytes } from '../paths.ts'
import { readPage } from './paging.ts'

/** A page of these texts, newest first, whose ids are their places. */
function pageOf(texts: readonly string[], before?: string) {
  const found = texts.map((text, place) => ({ text, id: String(place) }))
  return readPage({
    limit: undefined,
    before,
    async read({ limit, before }) {
      const start = before === undefined ? 0 : Number(before) + 1
      return found.slice(start, start + limit)
    },
    show: ({ text }) => text,
    idOf: ({ id }) => id,
  })
}

/** A text whose JSON has so many bytes. */
const bytes = (size: number) => 'x'.repeat(size - 2)

describe('a page of a list', () => {
  it.each([
    ['ends before the entry that is too much', [bytes(maxPageBytes - 10), bytes(11), 'x'], 1],
    ['holds exactly as many bytes as it may', [bytes(maxPageBytes - 10), bytes(10), 'x'], 2],
    ['has one entry, however large it is', [bytes(maxPageBytes + 1), 'x'], 1],
    ['counts bytes, not characters', ['é'.repeat(maxPageBytes / 2), 'x'], 1],
  ])('%s', async (_what, texts, count) => {
    expect(await pageOf(texts)).toEqual({ entries: texts.slice(0, count), next: String(count - 1) })
    expect((await pageOf(texts, String(count - 1))).entries).toEqual(texts.slice(count))
  })
})
