import { expect, it } from 'vitest'
import { lintLead } from '../lint.ts'
import { sampleLead } from '../sample-lead.test.kit.ts'

it('tells of the consents and of the tracking data of a lead', () => {
  const lead = { ...sampleLead(), tracking: { source: '/loans' } }
  expect(lintLead(lead).map(({ field, code }) => `${field} ${code}`)).toEqual([
    'consents.entries.0.document_url document_url_missing',
    'consents.entries.1.document_url document_url_missing',
    'consents.metadata metadata_missing',
    'tracking.source source_not_absolute',
  ])
  expect(lintLead(lead, { now: new Date('2025-01-01') }).map(({ code }) => code)).toContain('time_in_future')
})

it.each([undefined, null, 7, {}, { consents: null, tracking: [] }])('does not throw on odd input: %#', lead => {
  expect(lintLead(lead as never).map(({ code }) => code)).toEqual(['consent_missing', 'metadata_missing'])
})
