import { describe, expect, it } from 'vitest'
import { beginPages, compareWithNewest, followPages, type Page, type Pages } from './pages.ts'

interface Entry {
  readonly id: string
  readonly state?: string
}

/** A page of entries by their numbers, newest first. */
const page = (from: number, to: number, next?: string): Page<Entry> => ({
  entries: Array.from({ length: from - to + 1 }, (_, place) => ({ id: String(from - place) })),
  next,
})

const idOf = ({ id }: Entry) => id
const follow = (pages: Pages<Entry>, newest: Page<Entry>) => followPages(pages, newest, idOf)
const compare = ({ entries }: Page<Entry>, newest: Page<Entry>) => compareWithNewest(entries, newest, idOf)
const idsOf = ({ pages }: Pages<Entry>) => pages.flatMap(({ entries }) => entries.map(({ id }) => Number(id)))
const countdown = (from: number, to: number) => page(from, to).entries.map(({ id }) => Number(id))

describe('at its top, a list', () => {
  it('shows new entries before the others, and continues at the same place', () => {
    const shown = follow(beginPages(page(100, 51, '51')), page(103, 54, '54'))
    expect(idsOf(shown)).toEqual(countdown(103, 51))
    expect(shown.pages.at(-1)?.next).toBe('51')
  })

  it('drops entries that are gone', () => {
    const newest = { entries: [{ id: '100' }, { id: '98' }], next: '98' }
    expect(idsOf(follow(beginPages(page(100, 51, '51')), newest))).toEqual([100, ...countdown(98, 51)])
    const older = { entries: [{ id: '100' }, { id: '50' }], next: '50' }
    expect(follow(beginPages(page(100, 51, '51')), older)).toEqual(beginPages(older))
  })

  it('starts over before entries would be missing or it grows too long', () => {
    expect(follow(beginPages(page(100, 51, '51')), page(200, 151, '151'))).toEqual(beginPages(page(200, 151, '151')))
    expect(idsOf(follow(beginPages(page(250, 51, '51')), page(251, 202, '202')))).toEqual(countdown(251, 202))
  })

  it('is the newest page if there are no others', () => {
    expect(follow(beginPages(page(100, 51, '51')), page(3, 1))).toEqual(beginPages(page(3, 1)))
  })

  it('stays the same object if nothing is new', () => {
    const shown = beginPages(page(3, 1))
    expect(follow(shown, shown.pages[0] ?? page(0, 1))).toBe(shown)
  })

  it('continues a search that found nothing at first', () => {
    const nothing = beginPages<Entry>({ entries: [], next: '7' })
    expect(follow(nothing, { entries: [], next: '8' })).toBe(nothing)
    expect(idsOf(follow(nothing, page(20, 20, '8')))).toEqual([20])
  })
})

describe('a list that is held', () => {
  it('counts new entries', () => {
    expect(compare(page(100, 51), page(112, 63, '63'))).toMatchObject({ count: 12, isMore: false, isGone: false })
  })

  it('updates the entries it shows', () => {
    const newest = { entries: [{ id: '101' }, { id: '100', state: 'delivered' }], next: '100' }
    const { updated } = compare(page(100, 51), newest)
    expect(updated[0]).toEqual({ id: '100', state: 'delivered' })
    expect(updated.length).toBe(50)
  })

  it('reports that there may be more entries than it counted', () => {
    expect(compare(page(100, 51), page(200, 151, '151'))).toMatchObject({ count: 50, isMore: true })
  })

  it('reports that none of its entries are left', () => {
    expect(compare(page(100, 51), page(2, 1)).isGone).toBe(true)
    expect(compare(page(100, 51), { entries: [] }).isGone).toBe(true)
    expect(compare(page(100, 51), { entries: [], next: '7' }).isGone).toBe(false)
  })
})
