import type { LeadChanges } from './lead-changes.ts'
import { ineligibleLoan } from './loan.ts'
import { earningProfile } from './profile.ts'
import type { PublishedBlacklistEntry, PublishedProduct } from './published-account.ts'

/**
 * A birthday outside of the product's ages on a day: a year too young, or where nobody is too young, a year too old. It
 * holds for about a year on the younger side and for ever on the older one, so that a clock a day off does no harm.
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
    `No test lead is out of the product's countries: take one of ${countries.join(', ')} off its countries.`,
  )
}

/** A loan that the product is not given for, else an occupation that it excludes. */
export function ineligible(product: PublishedProduct): LeadChanges {
  const product_data = ineligibleLoan(product)
  if (product_data) return { product_data }
  const [occupation] = product.criteria.occupations_excluded
  if (occupation !== undefined) return { customer: { profile: earningProfile(occupation, product) } }
  throw new Error(
    "Every loan and every occupation is eligible: narrow the product's loan_amount or loan_term_months, or add an occupation to its occupations_excluded.",
  )
}

/** What makes the customer the one of an entry; by the document where any entry names one, so that the address stays new. */
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
