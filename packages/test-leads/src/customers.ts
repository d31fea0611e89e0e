import type { ConsentEntry, LeadSubmission, Profile } from '@lead-distribution/contract'
import { ipv4InRange, type OccupationType, occupationTypes } from '@lead-distribution/contract'
import type { LeadChanges } from './lead-changes.ts'
import { ineligibleLoan, usualLoan } from './loans.ts'
import type { PublishedBlacklistEntry, PublishedProduct } from './published-account.ts'

/** What an ordinary lead is made of. */
export interface OrdinaryLead {
  readonly product_id: string
  readonly publisher_id: string
  /** The customer's e-mail address. */
  readonly email: string
  /** When the consents were given. */
  readonly at: Date
}

/**
 * The smallest lead that is valid under every interpretation of the specification: the formal schema requires a gender
 * and consent metadata, the prose neither.
 */
export function ordinaryLead({ email, at, ...ids }: OrdinaryLead): LeadSubmission {
  const collected_at = at.toISOString()
  return {
    ...ids,
    customer: {
      personal_data: { first_name: 'Ana', last_name: 'Prueba', gender: 'female' },
      contact: { email: { address: email } },
    },
    product_data: usualLoan,
    consents: {
      entries: [consent('terms', collected_at), consent('privacy_policy', collected_at)],
      metadata: { ip_address: documentationAddresses[0], collected_at },
    },
  }
}

/** A consent that was accepted at this time, or one that was declined. */
export function consent(type: string, accepted_at: string | null): ConsentEntry {
  return { type, accepted: accepted_at !== null, accepted_at, version: '2026-01' }
}

/** Net monthly income of a test lead where the criteria leave the choice, whole euros. */
const usualIncome = 2000

/** A profile that passes the rules with the least income; undefined where every occupation is excluded. */
export function poorestProfile({ criteria }: PublishedProduct): Profile | undefined {
  const occupation = occupationTypes.find(each => !criteria.occupations_excluded.includes(each))
  return occupation && { occupation, monthly_income: criteria.minimum_monthly_income }
}

/** A profile with an income that is too low by one euro. Throws where none is. */
export function tooPoorProfile({ criteria }: PublishedProduct): Profile {
  const { minimum_monthly_income } = criteria
  if (minimum_monthly_income > 0)
    return { occupation: 'indefinite_employee', monthly_income: minimum_monthly_income - 1 }
  throw new Error("No income is too low: raise the product's minimum_monthly_income above 0.")
}

/** A profile with an income that is high enough. */
function earningProfile(occupation: OccupationType, { criteria }: PublishedProduct): Profile {
  return { occupation, monthly_income: Math.max(usualIncome, criteria.minimum_monthly_income) }
}

/**
 * A birthday outside of the product's ages on a day: a year too young, or a year too old where no age is too young. It
 * stays too young for about a year and too old for ever, so that a clock that differs by a day does no harm.
 */
export function birthdayOutside({ criteria }: PublishedProduct, today: Date): LeadChanges {
  const years = criteria.min_age > 0 ? criteria.min_age - 1 : criteria.max_age + 2
  const birthday = new Date(today)
  birthday.setUTCFullYear(birthday.getUTCFullYear() - years)
  return { customer: { personal_data: { birthday: birthday.toISOString().slice(0, 10) } } }
}

/** An address in a country that the product leaves out. */
export function countryOutside({ criteria }: PublishedProduct): LeadChanges {
  const countries = ['PT', 'FR', 'IT', 'DE', 'GB', 'US', 'MX', 'BR', 'JP']
  const country = countries.find(each => !criteria.countries.includes(each))
  if (country !== undefined) return { customer: { address: { country } } }
  throw new Error(
    `The product accepts every country of the test leads: take one of ${countries.join(', ')} off its countries.`,
  )
}

/** A loan outside the product's bands, else an occupation that it excludes. */
export function ineligible(product: PublishedProduct): LeadChanges {
  const product_data = ineligibleLoan(product)
  if (product_data) return { product_data }
  const [occupation] = product.criteria.occupations_excluded
  if (occupation !== undefined) return { customer: { profile: earningProfile(occupation, product) } }
  throw new Error(
    "Every loan and every occupation is eligible: narrow the product's loan_amount or loan_term_months, or add an occupation to its occupations_excluded.",
  )
}

/** The customer of an entry: by its document where any entry has one, so that the e-mail address stays new. */
export function listedCustomer(blacklist: readonly PublishedBlacklistEntry[]): LeadChanges {
  const firstOf = (name: keyof PublishedBlacklistEntry) => blacklist.find(entry => entry[name] !== undefined)?.[name]
  const identification_number = firstOf('identification_number')
  if (identification_number !== undefined) return { customer: { personal_data: { identification_number } } }
  const number = firstOf('phone')
  if (number !== undefined) return { customer: { contact: { phone: { number } } } }
  const address = firstOf('email')
  if (address !== undefined) return { customer: { contact: { email: { address } } } }
  throw new Error("Nobody is listed: add an entry to the account's blacklist, such as an identification_number.")
}

/** Addresses for documentation (RFC 5737): no customer has one. */
const documentationAddresses = ['203.0.113.7', '198.51.100.7', '192.0.2.7'] as const

/** An address outside all of these networks (IPv4, CIDR). Throws where they hold every address for documentation. */
export function addressOutside(ranges: readonly string[]): string {
  const address = documentationAddresses.find(candidate => !ranges.some(range => ipv4InRange(candidate, range)))
  if (address !== undefined) return address
  throw new Error(
    `No test lead can pass the fraud rule: leave one of ${documentationAddresses.join(', ')} out of the product's fraud_ip_ranges.`,
  )
}

/** An address inside the first of these networks. Throws where there is none. */
export function addressInside([range]: readonly string[]): string {
  const [address] = range?.split('/') ?? []
  if (address !== undefined) return address
  throw new Error("No test lead is suspected of fraud: add a network to the product's fraud_ip_ranges.")
}
