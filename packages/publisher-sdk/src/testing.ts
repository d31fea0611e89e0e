/**
 * A fake service, test leads and test callbacks, for tests without a server.
 * @module @lead-distribution/publisher-sdk/testing
 */

export * from '@lead-distribution/sdk-core/testing'
export {
  type BuildLead,
  type BuildPair,
  type BuildRequest,
  type LeadChanges,
  type LeadPair,
  type PublishedAccount,
  type Reached,
  requestsOf,
  type Scenario,
  type ScenarioWord,
  scenarioWords,
  type TestLead,
  type TestLeadEntry,
  type TestLeadOptions,
  type TestLeads,
  type TestRequest,
  testLeadCatalogue,
} from '@lead-distribution/test-leads'
export { createTestLeads } from './testing/create-test-leads.ts'
export {
  type CallbackFlaw,
  createTestCallback,
  createTestSigningSecret,
  type ForgeableCallback,
  type ForgedCallbacks,
  forgeTestCallbacks,
  type SignatureFlaw,
  type TestCallback,
  type UrlSecretFlaw,
} from './testing/test-callback.ts'
