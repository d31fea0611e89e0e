import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'
import {
  createTestLeads as createLeads,
  type PublishedAccount,
  type TestLeadOptions,
  type TestLeads,
} from '@lead-distribution/test-leads'

const knownOptions = { tag: 1, today: 1 } satisfies Known<TestLeadOptions>

/**
 * The catalogue of test leads for an account, such as a sandbox's control plane shows it.
 * @throws Error the tag cannot be a part of an e-mail address, or the account has no active product.
 * @throws ConfigError an option is unknown.
 * @example
 * ```ts
 * import { createFakeService, createTestLeads } from '@lead-distribution/publisher-sdk/testing'
 *
 * const leads = createTestLeads(createFakeService().account) // or the account of a sandbox's tenant
 * leads.distributed() // a lead that an advertiser accepts
 * leads.ageRestricted() // a year too young for the product
 * leads.distributed({ customer: { contact: { email: { address: 'ana@example.com' } } } }) // with a change
 * ```
 */
export function createTestLeads(account: PublishedAccount, options: TestLeadOptions = {}): TestLeads {
  checkOptions('`createTestLeads`', options, knownOptions)
  return createLeads(account, options)
}
