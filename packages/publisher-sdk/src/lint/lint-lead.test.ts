import { expect, it } from 'vitest'
import { createTracking } from '../lead/create-tracking.ts'
import { lintLead } from '../lint.ts'
import { sampleLead } from '../submit/leads.fixture.ts'
import { lintTracking } from './lint-lead.ts'

it('reports on the consents and on the tracking data of a lead', () => {
  const lead = { ...sampleLead(), tracking: { source: '/loans' } }
  expect(lintLead(lead).map(({ field, code }) => `${field} ${code}`)).toEqual([
    'consents.entries.0.document_url document_url_missing',
    'consents.entries.1.document_url document_url_missing',
    'consents.metadata metadata_missing',
    'tracking.source source_not_absolute',
  ])
  expect(lintLead(lead, { now: new Date('2025-01-01') }).map(({ code }) => code)).toContain('time_in_future')
})

it('finds a field that the service would ignore, because its name is misspelt or its place is another one', () => {
  const lead = sampleLead()
  const { personal_data } = lead.customer
  const customer = { ...lead.customer, personal_data: { ...personal_data, nationality: 'ES' }, monthly_income: 900 }
  const found = lintLead({ ...lead, customer } as never).filter(({ code }) => code === 'near_miss')
  expect(found.map(({ field, advice }) => [field, advice])).toEqual([
    [
      'customer.personal_data.nationality',
      '`customer.personal_data.nationality` is unknown, did you mean `nacionality`?',
    ],
    [
      'customer.monthly_income',
      '`customer.monthly_income` is unknown here, did you mean `customer.profile.monthly_income`?',
    ],
  ])
})

it.each([undefined, null, 7, {}, { consents: null, tracking: [] }])('does not throw on odd input: %#', lead => {
  const codes = lintLead(lead as never).map(({ code }) => code)
  expect(codes.filter(code => code !== 'near_miss')).toEqual(['consent_missing', 'metadata_missing'])
})

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
