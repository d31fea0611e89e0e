import {
  documentationAddresses,
  type FieldValues,
  type LeadSubmission,
  loanAmountBounds,
  type PublishedAccount,
  type RejectedLead,
  type RejectionName,
  rejectionLeads,
} from '../index.ts'
import { type LeadChanges, withChanges, withFields } from './lead-changes.ts'
import { acceptedLoan, declinedLoan, usualLoan } from './loans.ts'
import { type Scenario, scenarioAddress } from './scenarios.ts'
import {
  malformed,
  oversized,
  type RejectedLeads,
  type TestLead,
  type TestLeads,
  withoutJsonType,
  withUnknownKey,
} from './test-leads.ts'

/**
 * The options of test leads.
 * @category Options
 */
export interface TestLeadOptions {
  /**
   * Part of every e-mail address, so that two runs never share a customer: letters, digits and hyphens. Default:
   * random.
   */
  readonly tag?: string
  /**
   * The service's time, if its clock differs from this machine's. Ages and consents are relative to it. Default: now.
   */
  readonly today?: Date
}

/** An unused id. */
const nilUuid = '00000000-0000-0000-0000-000000000000'

/**
 * Creates the catalog of test leads for an account, as returned by a sandbox's control plane.
 * @throws Error if the tag is not valid in an e-mail address, or the account has no active product.
 * @example
 * ```ts
 * import { createTestLeads } from '@lead-distribution/control-client'
 *
 * const leads = createTestLeads(tenant.account, { tag: 'run-17' }) // like `tenant.testLeads`, with a tag
 * leads.distributed() // a lead that an advertiser accepts
 * leads.ageRestricted() // a year too young for the product
 * leads.distributed({ customer: { contact: { email: { address: 'ana@example.com' } } } }) // with a change
 * ```
 * @category Testing
 */
export function createTestLeads(account: PublishedAccount, options: TestLeadOptions = {}): TestLeads {
  const { tag = crypto.randomUUID(), today = new Date() } = options
  if (!/^[a-z0-9-]+$/i.test(tag))
    throw new Error('The tag becomes part of e-mail addresses: use only letters, digits and hyphens.')
  const { advertisers, products, blacklist, publisher } = account
  const product = activeProduct(products)
  const context = { criteria: product.criteria, products, blacklist, today }

  let customers = 0
  const unique = () => `${++customers}-${tag}`
  const newAddress = () => `lead-${unique()}@example.com`
  const ordinary = (email: string) => ordinaryLead({ product, publisher, email, today })
  const lead = (fields: LeadChanges, changes?: LeadChanges, email = newAddress()) =>
    withChanges(withChanges(ordinary(email), fields), changes)
  const scenario = (word: Scenario, changes?: LeadChanges) => lead({}, changes, scenarioAddress(word, unique()))

  /** The fields with which a lead passes every check, or every check before a given one. */
  const passing = (name?: RejectionName): FieldValues => {
    const before = Object.keys(checks).slice(0, name && Object.keys(checks).indexOf(name))
    return Object.assign({}, ...before.map(each => checks[each as RejectionName].passing?.(context)))
  }
  const passingWith = (fields: () => LeadChanges) => (changes?: LeadChanges) =>
    withChanges(withChanges(withFields(ordinary(newAddress()), passing()), fields()), changes)

  /** The fields of a lead that a check rejects, and no check before it. */
  const rejectedFields = (name: RejectionName): FieldValues => {
    const { outside, nothingOutside } = checks[name]
    const [fields] = outside?.(context) ?? []
    if (!fields) throw new Error(nothingOutside)
    return { ...passing(name), ...fields }
  }
  const firstOfPair = { creation: () => passing(), rejection: () => rejectedFields('geographicRestriction') }

  const rejectedLead = (name: RejectionName, changes?: LeadChanges): TestLead => {
    const { after } = checks[name]
    const email = newAddress()
    const build = (fields: FieldValues) => withChanges(withFields(ordinary(email), fields), changes)
    if (!after) return build(rejectedFields(name))
    if (after === 'rejection') requireWindow(account)
    return [build(firstOfPair[after]()), build(passing(name))]
  }
  const rejected = Object.keys(checks).map(name => [
    name,
    (changes?: LeadChanges) => rejectedLead(name as RejectionName, changes),
  ])

  return {
    distributed: passingWith(() => acceptedLoan(product, advertisers)),
    new: passingWith(() => declinedLoan(product, advertisers)),
    ...(Object.fromEntries(rejected) as RejectedLeads),
    validationError: changes => lead({ product_data: { loan_amount: loanAmountBounds.min - 1 } }, changes),
    malformedJson: changes => malformed(lead({}, changes)),
    unauthorized: changes => withUnknownKey(lead({}, changes)),
    payloadTooLarge: changes => oversized(lead({}, changes)),
    unsupportedMediaType: changes => withoutJsonType(lead({}, changes)),
    publisherMismatch: changes => lead({ publisher_id: nilUuid }, changes),
    internalError: changes => scenario('http_500', changes),
    scenario,
  }
}

const checks: Readonly<Record<RejectionName, RejectedLead>> = rejectionLeads

/** Returns the smallest lead that is valid under every interpretation of the specification. */
function ordinaryLead({ product, publisher, email, today }: OrdinaryLead): LeadSubmission {
  const collected_at = today.toISOString()
  const consent = { accepted: true, accepted_at: collected_at, version: '2026-01' }
  return {
    product_id: product.product_id,
    publisher_id: publisher.publisher_id,
    customer: {
      personal_data: { first_name: 'Ana', last_name: 'Prueba', gender: 'female' },
      contact: { email: { address: email } },
    },
    product_data: usualLoan,
    consents: {
      entries: [
        { type: 'terms', ...consent },
        { type: 'privacy_policy', ...consent },
      ],
      metadata: { ip_address: documentationAddresses[0], collected_at },
    },
  }
}

interface OrdinaryLead extends Pick<PublishedAccount, 'publisher'> {
  readonly product: PublishedAccount['products'][number]
  readonly email: string
  readonly today: Date
}

function activeProduct(products: PublishedAccount['products']): PublishedAccount['products'][number] {
  const product = products.find(({ active }) => active)
  if (product) return product
  throw new Error('The account has no active product: set active: true on one.')
}

/** A duration with only zero digits is no window. */
function requireWindow({ settings }: PublishedAccount): void {
  if (settings === undefined || /[1-9]/.test(settings.duplicate_window)) return
  throw new Error('No submission comes too soon: set a duplicate_window greater than zero.')
}
