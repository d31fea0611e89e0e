import { loanAmountBounds } from '@lead-distribution/contract'
import {
  addressInside,
  addressOutside,
  birthdayOutside,
  consent,
  countryOutside,
  ineligible,
  listedCustomer,
  ordinaryLead,
  tooPoorProfile,
} from './customers.ts'
import { type LeadChanges, withChanges } from './lead-changes.ts'
import { admittedLoans, nearestLoan, takenLoan } from './loans.ts'
import type { PublishedAccount, PublishedProduct } from './published-account.ts'
import { type Scenario, scenarioAddress } from './scenarios.ts'
import {
  type BuildLead,
  type LeadPair,
  malformed,
  oversized,
  type TestLeads,
  withoutJsonType,
  withUnknownKey,
} from './test-leads.ts'
import { untakenLead } from './untaken-lead.ts'

/** How test leads are built. */
export interface TestLeadOptions {
  /** A part of every e-mail address, so that two runs never share a customer: letters, digits, hyphens. Random by default. */
  readonly tag?: string
  /** The time of the service, where its clock differs from this machine's: ages and consents relate to it. Now by default. */
  readonly today?: Date
}

/** An id that nothing has. */
const nilUuid = '00000000-0000-0000-0000-000000000000'

/**
 * The catalogue of test leads for an account, such as a sandbox's control plane shows it.
 * @throws Error the tag cannot be a part of an e-mail address, or the account has no active product.
 * @example
 * ```ts
 * import { createTestLeads } from '@lead-distribution/control-client'
 *
 * const leads = createTestLeads(tenant.account, { tag: 'run-17' }) // `tenant.testLeads`, but for the tag
 * leads.distributed() // a lead that an advertiser accepts
 * leads.ageRestricted() // a year too young for the product
 * leads.distributed({ customer: { contact: { email: { address: 'ana@example.com' } } } }) // with a change
 * ```
 */
export function createTestLeads(account: PublishedAccount, options: TestLeadOptions = {}): TestLeads {
  const { today = new Date() } = options
  const { advertisers, products, blacklist } = account
  const product = activeProduct(products)
  const { lead, leadWith, pair, scenario } = leadBuilders(account, product, { ...options, today })
  const withFraud = () => ({ consents: { metadata: { ip_address: addressInside(product.criteria.fraud_ip_ranges) } } })
  /** The same fields without fraud: the rules after that of fraud apply. */
  const pastFraud = (fields: LeadChanges): LeadChanges => ({
    consents: { metadata: { ip_address: addressOutside(product.criteria.fraud_ip_ranges) } },
    ...fields,
  })

  return {
    distributed: leadWith(() => pastFraud({ product_data: takenLoan(product, advertisers) })),
    new: leadWith(() => pastFraud(untakenLead(product, advertisers))),
    customerAlreadyExists(changes) {
      const created = pastFraud({ product_data: nearestLoan(admittedLoans(product)) })
      return pair(created, created, changes)
    },
    duplicateSubmission(changes) {
      requireWindow(account)
      return pair(pastFraud(countryOutside(product)), {}, changes)
    },
    eligibilityFailed: leadWith(() => pastFraud(ineligible(product))),
    ageRestricted: leadWith(() => pastFraud(birthdayOutside(product, today))),
    incomeInsufficient: leadWith(() => pastFraud({ customer: { profile: tooPoorProfile(product) } })),
    geographicRestriction: leadWith(() => pastFraud(countryOutside(product))),
    consentsMissing: leadWith(() => ({
      consents: { entries: [consent('terms', today.toISOString()), consent('privacy_policy', null)] },
    })),
    invalidProduct: leadWith(() => ({ product_id: inactiveProduct(products).product_id })),
    blacklisted: leadWith(() => listedCustomer(blacklist)),
    fraudSuspected: leadWith(withFraud),
    validationError: leadWith(() => ({ product_data: { loan_amount: loanAmountBounds.min - 1 } })),
    malformedJson: changes => malformed(lead({}, changes)),
    unauthorized: changes => withUnknownKey(lead({}, changes)),
    payloadTooLarge: changes => oversized(lead({}, changes)),
    unsupportedMediaType: changes => withoutJsonType(lead({}, changes)),
    unknownProduct: leadWith(() => ({ product_id: nilUuid })),
    publisherMismatch: leadWith(() => ({ publisher_id: nilUuid })),
    internalError: changes => scenario('http_500', changes),
    scenario,
  }
}

/** What every test lead of an account is built by; each lead is a new customer. */
function leadBuilders(
  { publisher }: PublishedAccount,
  { product_id }: PublishedProduct,
  { tag = crypto.randomUUID(), today }: TestLeadOptions & { readonly today: Date },
) {
  if (!/^[a-z0-9-]+$/i.test(tag))
    throw new Error('A tag is a part of e-mail addresses: give letters, digits and hyphens.')
  let customers = 0
  const unique = () => `${++customers}-${tag}`
  const newAddress = () => `lead-${unique()}@example.com`
  const lead = (fields: LeadChanges, changes?: LeadChanges, email = newAddress()) => {
    const ordinary = ordinaryLead({ product_id, publisher_id: publisher.publisher_id, email, at: today })
    return withChanges(withChanges(ordinary, fields), changes)
  }
  return {
    lead,
    /** A builder of leads with these fields. */
    leadWith:
      (fields: () => LeadChanges): BuildLead =>
      changes =>
        lead(fields(), changes),
    /** Two leads of one customer. */
    pair(first: LeadChanges, second: LeadChanges, changes?: LeadChanges): LeadPair {
      const email = newAddress()
      return [lead(first, changes, email), lead(second, changes, email)]
    },
    scenario: (scenario: Scenario, changes?: LeadChanges) => lead({}, changes, scenarioAddress(scenario, unique())),
  }
}

function activeProduct(products: readonly PublishedProduct[]): PublishedProduct {
  const product = products.find(({ active }) => active)
  if (product) return product
  throw new Error('The account has no active product: switch one on with active: true.')
}

function inactiveProduct(products: readonly PublishedProduct[]): PublishedProduct {
  const product = products.find(({ active }) => !active)
  if (product) return product
  throw new Error('Every product of the account is active: add one with active: false.')
}

/** A duration without any digit but zero is no window. */
function requireWindow({ settings }: PublishedAccount): void {
  if (settings === undefined || /[1-9]/.test(settings.duplicate_window)) return
  throw new Error('No submission comes too soon: set a duplicate_window that is longer than zero.')
}
