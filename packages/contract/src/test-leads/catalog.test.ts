import { describe, expect, it } from 'vitest'
import { errorStatus, leadStatuses, rejectionLeads, rejectionReasons, rejections } from '../index.ts'
import { operations } from '../shapes.ts'
import { accountWith } from './account.fixture.ts'
import { testLeadCatalog } from './catalog.ts'
import { createTestLeads } from './create-test-leads.ts'

/** The values that the rows cover in one respect. */
const reached = (respect: 'status' | 'rejection_reason' | 'error') =>
  new Set(
    testLeadCatalog.flatMap(({ reaches }) =>
      Object.entries(reaches).flatMap(([key, value]) => (key === respect ? [value] : [])),
    ),
  )

describe('the catalog of test leads', () => {
  it('covers every status, rejection reason and error that a submission may get', () => {
    expect(reached('status')).toEqual(new Set(leadStatuses))
    expect(reached('rejection_reason')).toEqual(new Set(rejectionReasons))
    expect(reached('error')).toEqual(new Set(operations.submitLead.errors))
  })

  it('contains every test lead, and no other name', () => {
    const { scenario: _, ...testLeads } = createTestLeads(accountWith())
    expect(new Set(testLeadCatalog.map(({ name }) => name))).toEqual(new Set(Object.keys(testLeads)))
  })

  it('lists the rejections in the order of the checks', () => {
    expect(Object.keys(rejectionLeads)).toEqual(Object.keys(rejections))
  })

  it("has each error's HTTP status", () => {
    for (const { reaches } of testLeadCatalog)
      expect(reaches.http).toBe('error' in reaches ? errorStatus[reaches.error] : 200)
  })

  it('explains each row in one sentence', () => {
    for (const { because } of testLeadCatalog) expect(because).toMatch(/^[A-Z][^.]*\.$/)
  })
})
