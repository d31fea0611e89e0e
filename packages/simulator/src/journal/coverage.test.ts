import { convertedStatus, errorStatus, leadStatuses, pixelEvents, rejectionReasons } from '@lead-distribution/contract'
import { readScenario } from '@lead-distribution/contract/test-leads'
import { describe, expect, it } from 'vitest'
import { callbackOutcomes, coverageItems, coverageKinds, coverageView } from './coverage.ts'

const namesOf = (kind: string) => coverageItems.filter(item => item.kind === kind).map(({ name }) => name)

describe('the coverage items', () => {
  it('are all values of the specification', () => {
    expect(Object.fromEntries(coverageKinds.map(kind => [kind, namesOf(kind)]))).toEqual({
      outcome: [...leadStatuses],
      reason: [...rejectionReasons],
      error: Object.keys(errorStatus),
      event: [...pixelEvents, convertedStatus],
      callback: [...callbackOutcomes],
    })
  })

  it.each(coverageItems)('say in one sentence how to cover $kind/$name', ({ how }) => {
    expect(how).toMatch(/^[A-Z][^\n]*\.$/)
  })

  it('name only existing scenarios', () => {
    const named = coverageItems.flatMap(({ how }) => /([\w.]+)\+x@sandbox\.test/.exec(how)?.[1] ?? [])
    expect(named.length).toBeGreaterThan(rejectionReasons.length)
    expect(named.filter(name => readScenario(name) === undefined)).toEqual([])
  })
})

describe('a coverage view', () => {
  it('counts items that were seen, and starts empty', () => {
    const { seen, total, items } = coverageView({ 'outcome/new': 3, 'reason/blacklisted': 1, 'event/unheard_of': 9 })
    expect([seen, total]).toEqual([2, coverageItems.length])
    expect(items.filter(({ count }) => count > 0).map(({ name, count }) => [name, count])).toEqual([
      ['new', 3],
      ['blacklisted', 1],
    ])
    expect(coverageView({}).seen).toBe(0)
  })
})
