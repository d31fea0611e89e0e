import { expect, it } from 'vitest'
import { createTracking } from './create-tracking.ts'
import { lintTracking } from './lint-tracking.ts'

const found = (tracking: unknown) => lintTracking(tracking as never).map(({ field, code }) => [field, code])

it('has nothing to say about what the builder makes of a URL', () => {
  const url = 'https://medium.example/@author/loans?gclid=a-b_c.d&utm_id=7&email=ana%40example.com#top'
  expect(lintTracking(createTracking({ url }))).toEqual([])
  expect(lintTracking(undefined)).toEqual([])
})

it.each([
  [{ sub_id: ' ' }, [['tracking.sub_id', 'tracking_empty']]],
  [{ click_id: 'Ana.Garcia+x@example.com' }, [['tracking.click_id', 'tracking_personal_data']]],
  [{ campaign_id: 'for ana%40example.com' }, [['tracking.campaign_id', 'tracking_personal_data']]],
  [{ source: 'publisher.example' }, [['tracking.source', 'source_not_absolute']]],
  [{ source: 'app://publisher.example' }, [['tracking.source', 'source_not_absolute']]],
  [{ source: 'https://publisher.example/?a=1' }, [['tracking.source', 'source_with_query']]],
  [{ source: 'https://publisher.example/#a' }, [['tracking.source', 'source_with_query']]],
  [{ source: 'http://publisher.example/loans', click_id: '@home' }, []],
])('of %o it says %o', (tracking, expected) => expect(found(tracking)).toEqual(expected))

it.each([null, 7, 'text', [null], { source: 7 }, { click_id: Symbol('x') }])('does not throw on odd input: %#', odd => {
  expect(found(odd)).toEqual([])
})

it('repeats no value', () => {
  expect(JSON.stringify(lintTracking({ source: 'hunter2@example.com' }))).not.toContain('hunter2')
})
