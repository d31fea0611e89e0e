import type { BlacklistEntry } from '@lead-distribution/contract'
import type { Lead } from '@lead-distribution/contract/shapes'
import type { Judge } from './rule.ts'

/** @spec 2.12/blacklisted */
export const blacklisted: Judge = ({ lead: { customer }, account }) => {
  const { email, phone } = customer.contact
  const has: Readonly<Record<keyof BlacklistEntry, readonly string[]>> = {
    email: [email.address.toLowerCase()],
    phone: phonesOf(phone),
    identification_number: [documentOf(customer.personal_data.identification_number)].filter(Boolean),
  }
  const matches = account.blacklist.flatMap(entry =>
    names.filter(name => has[name].includes(spellings[name](entry[name]))),
  )
  // Only the names of the values: the values themselves are personal data.
  return { passes: matches.length === 0, input: matches, hint: "Remove the customer from the account's blacklist." }
}

/** Normalizes the values of an entry for comparison; a missing value becomes empty. */
const spellings = {
  email: (text = '') => text.toLowerCase(),
  phone: digitsOf,
  identification_number: documentOf,
} as const satisfies Readonly<Record<keyof BlacklistEntry, (text?: string) => string>>

const names = Object.keys(spellings) as (keyof BlacklistEntry)[]

/** The letters and digits of a document number, which may be written with hyphens, dots and spaces. */
function documentOf(text = ''): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase()
}

/** The digits of a phone number. `00` is another way to write the `+` before a country code. */
function digitsOf(text = ''): string {
  return text.replace(/\D/g, '').replace(/^00/, '')
}

/**
 * Returns a customer's number with and without the country code, which the number itself may include; none if there are
 * no digits.
 */
function phonesOf(phone: Lead['customer']['contact']['phone']): string[] {
  const [code, digits] = [digitsOf(phone?.area_code), digitsOf(phone?.number)]
  const national = digits.startsWith(code) ? digits.slice(code.length) : digits
  return digits === '' ? [] : [digits, national, code + digits].filter(Boolean)
}
