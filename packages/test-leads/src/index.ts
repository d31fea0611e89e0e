/**
 * Test leads by real data.
 * @module @lead-distribution/test-leads
 */

export * from './catalogue.ts'
export * from './create-test-leads.ts'
export * from './lead-changes.ts'
export * from './published-account.ts'
export * from './scenarios.ts'
export * from './test-leads.ts'
