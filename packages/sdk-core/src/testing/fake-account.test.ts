import { createTestLeads, requestsOf, testLeadCatalogue } from '@lead-distribution/test-leads'
import { expect, it } from 'vitest'
import { fakeAccount } from './fake-account.ts'

it.each(testLeadCatalogue)('has what the test lead $name is made from', ({ name }) => {
  expect(requestsOf(createTestLeads(fakeAccount)[name]()).length).toBeGreaterThan(0)
})
