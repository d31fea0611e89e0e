import { loanAmountBounds } from '../lead/loan-product-data.ts'
import { addressInside, addressOutside } from './ip-ranges.ts'
import { type LeadChanges, withChanges } from './lead-changes.ts'
import { admittedLoans, nearestLoan, takenLoan } from './loan.ts'
import { consent, ordinaryLead } from './ordinary-lead.ts'
import { tooPoorProfile } from './profile.ts'
import type { PublishedAccount, PublishedProduct } from './published-account.ts'
import { birthdayOutside, countryOutside, ineligible, listedCustomer } from './refused-customer.ts'
import { scenarioAddress } from './scenario.ts'
import type { BuildLead, TestLeads } from './test-leads.ts'
import { type LeadPair, malformed, oversized, withoutJsonType, withUnknownKey } from './test-request.ts'
import { untakenLead } from './untaken-lead.ts'

/** How test leads are built. */
export interface TestLeadOptions {
  /** Stands in every e-mail address, so that two runs never share a customer: letters, digits, hyphens. Drawn at random by default. */
  readonly tag?: string
  /** The time of the service, where its clock is not that of this machine: ages and consents relate to it. Now by default. */
  readonly today?: Date
}

/** An id that nobody has. */
const nilUuid = '00000000-0000-0000-0000-000000000000'

/**
 * The catalogue of test leads for an account, such as a sandbox's control plane shows it. Throws where the tag cannot
 * stand in an e-mail address or the account has no active product.
 */
export function createTestLeads(account: PublishedAccount, options: TestLeadOptions = {}): TestLeads {
  const { tag = crypto.randomUUID(), today = new Date() } = options
  const { publisher, advertisers, products, blacklist } = account
  if (!/^[a-z0-9-]+$/i.test(tag)) throw new Error('A tag stands in e-mail addresses: give letters, digits and hyphens.')
  const product = activeProduct(products)
  let customers = 0

  const unique = () => `${++customers}-${tag}`
  const newAddress = () => `lead-${unique()}@example.com`
  const lead = (fields: LeadChanges, changes?: LeadChanges, email = newAddress()) => {
    const { product_id } = product
    const ordinary = ordinaryLead({ product_id, publisher_id: publisher.publisher_id, email, at: today })
    return withChanges(withChanges(ordinary, fields), changes)
  }
  /** A lead with these fields. */
  const leadWith =
    (fields: () => LeadChanges): BuildLead =>
    changes =>
      lead(fields(), changes)
  /** What a lead also has that is judged by the rules after that of fraud. */
  const pastFraud = (fields: LeadChanges): LeadChanges => ({
    consents: { metadata: { ip_address: addressOutside(product.criteria.fraud_ip_ranges) } },
    ...fields,
  })
  /** Two leads of one customer. */
  const pair = (first: LeadChanges, second: LeadChanges, changes?: LeadChanges): LeadPair => {
    const email = newAddress()
    return [lead(first, changes, email), lead(second, changes, email)]
  }
  const scenario: TestLeads['scenario'] = (word, changes) => lead({}, changes, scenarioAddress(word, unique()))

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
    fraudSuspected: leadWith(() => ({
      consents: { metadata: { ip_address: addressInside(product.criteria.fraud_ip_ranges) } },
    })),
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
