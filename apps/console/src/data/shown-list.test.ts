import { describe, expect, it } from 'vitest'
import { beginList, followList, type Page, type Shown } from './shown-list.ts'

interface Entry {
  readonly id: string
  readonly state?: string
}

/** A page of entries by their numbers, newest first. */
const page = (from: number, to: number, next?: string): Page<Entry> => ({
  entries: Array.from({ length: from - to + 1 }, (_, place) => ({ id: String(from - place) })),
  next,
})

const follow = (shown: Shown<Entry>, newest: Page<Entry>) => followList(shown, newest, ({ id }) => id)
const held = (newest: Page<Entry>) => ({ ...beginList(newest), isHeld: true })
const idsOf = ({ entries }: Page<Entry>) => entries.map(({ id }) => Number(id))
const countdown = (from: number, to: number) => idsOf(page(from, to))

describe('at its top, a list', () => {
  it('shows new entries before the others, and continues at the same place', () => {
    const shown = follow(beginList(page(100, 51, '51')), page(103, 54, '54'))
    expect(idsOf(shown)).toEqual(countdown(103, 51))
    expect([shown.next, shown.news]).toEqual(['51', 0])
  })

  it('drops entries that are gone', () => {
    const newest = { entries: [{ id: '100' }, { id: '98' }], next: '98' }
    expect(idsOf(follow(beginList(page(100, 51, '51')), newest))).toEqual([100, ...countdown(98, 51)])
    const older = { entries: [{ id: '100' }, { id: '50' }], next: '50' }
    expect(follow(beginList(page(100, 51, '51')), older)).toEqual(beginList(older))
  })

  it('starts over if entries would be missing, and before it grows too long', () => {
    expect(follow(beginList(page(100, 51, '51')), page(200, 151, '151'))).toEqual(beginList(page(200, 151, '151')))
    const long = { ...beginList(page(250, 51, '51')), newest: page(250, 201, '201') }
    expect(idsOf(follow(long, page(251, 202, '202')))).toEqual(countdown(251, 202))
  })

  it('is the newest page if there are no others', () => {
    expect(follow(beginList(page(100, 51, '51')), page(3, 1))).toEqual(beginList(page(3, 1)))
  })

  it('continues a search that found nothing at first', () => {
    const nothing = beginList<Entry>({ entries: [], next: '7' })
    expect(follow(nothing, { entries: [], next: '8' })).toMatchObject({ entries: [], next: '7' })
    expect(follow(nothing, page(20, 20, '8'))).toMatchObject({ entries: [{ id: '20' }], next: '7' })
  })
})

describe('further down, a list', () => {
  it('counts new entries and moves nothing', () => {
    const shown = follow(held(page(100, 51, '51')), page(112, 63, '63'))
    expect(idsOf(shown)).toEqual(countdown(100, 51))
    expect([shown.next, shown.news, shown.isMoreNews]).toEqual(['51', 12, false])
  })

  it('updates the entries it shows', () => {
    const newest = { entries: [{ id: '101' }, { id: '100', state: 'delivered' }], next: '100' }
    expect(follow(held(page(100, 51, '51')), newest).entries[0]).toEqual({ id: '100', state: 'delivered' })
  })

  it('tells if there are more than it counted', () => {
    const shown = follow(held(page(100, 51, '51')), page(200, 151, '151'))
    expect([idsOf(shown).at(0), shown.news, shown.isMoreNews]).toEqual([100, 50, true])
  })

  it('starts over if none of its entries are left', () => {
    expect(follow(held(page(100, 51, '51')), page(2, 1))).toEqual(beginList(page(2, 1)))
    expect(follow(held(page(100, 51, '51')), { entries: [] })).toEqual(beginList({ entries: [] }))
  })

  it('shows the counted entries once the reader is back at the top', () => {
    const counted = follow(held(page(100, 51, '51')), page(112, 63, '63'))
    const shown = follow({ ...counted, isHeld: false }, counted.newest)
    expect([idsOf(shown), shown.news]).toEqual([countdown(112, 51), 0])
  })
})
