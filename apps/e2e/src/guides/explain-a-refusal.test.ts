import { createTestLeads } from '@lead-distribution/contract/testing'
import { describe, expect, it } from 'vitest'
import { eachRow } from '../each-row.ts'
import { openJourney } from './journey.fixture.ts'

const journey = openJourney()
const names = [
  'distributed',
  'new',
  'eligibilityFailed',
  'ageRestricted',
  'incomeInsufficient',
  'geographicRestriction',
  'consentsMissing',
  'invalidProduct',
  'unknownProduct',
  'blacklisted',
  'fraudSuspected',
  'validationError',
  'publisherMismatch',
] as const

describe('explaining', () => {
  it('tells of every test lead what the service then answers, and changes nothing', () =>
    eachRow(names, async name => {
      const tenant = await journey.newTenant()
      const lead = createTestLeads(tenant.account)[name]()
      const { would, trace } = (await tenant.control('POST', '/leads/explain', { body: lead })).json
      expect((await tenant.control('GET', '/leads')).json.leads).toEqual([])
      expect((await tenant.control('GET', '/requests')).json.requests).toEqual([])

      const { status, json } = await tenant.submitBody(lead)
      const ofItsOwn = { lead_id: undefined, redirect_url: undefined }
      expect({ status, body: { ...json, ...ofItsOwn } }).toEqual({ ...would, body: { ...would.body, ...ofItsOwn } })
      const rejected = trace.filter(({ verdict }: { verdict: string }) => verdict === 'rejected')
      expect(rejected).toHaveLength(name === 'distributed' || name === 'new' ? 0 : 1)
    }))
})
