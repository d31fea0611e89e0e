import type { BlacklistEntry } from '@lead-distribution/contract'
import type { Lead } from '@lead-distribution/contract/shapes'
import type { Judge } from './rule.ts'

/** @spec 2.12/blacklisted */
export const blacklisted: Judge = ({ lead, account }) => {
  const matches = account.blacklist.flatMap(entry => matchesOf(entry, lead))
  return { passes: matches.length === 0, input: matches, hint: "Take the customer off the account's blacklist." }
}

/** The names of the entry's values that the customer has; the values themselves are personal data. */
function matchesOf(entry: BlacklistEntry, { customer }: Lead): (keyof BlacklistEntry)[] {
  const { email, phone } = customer.contact
  const has = {
    email: entry.email !== undefined && entry.email.toLowerCase() === email.address.toLowerCase(),
    phone:
      entry.phone !== undefined &&
      phone?.number !== undefined &&
      isSamePhone(entry.phone, phone.area_code, phone.number),
    identification_number:
      entry.identification_number !== undefined &&
      entry.identification_number.toLowerCase() === customer.personal_data.identification_number?.toLowerCase(),
  }
  return (Object.keys(has) as (keyof typeof has)[]).filter(name => has[name])
}

/** A phone number may be listed with or without its country code. */
function isSamePhone(listed: string, areaCode: string, number: string): boolean {
  const digits = (text: string) => text.replace(/\D/g, '')
  const wanted = digits(listed)
  return wanted !== '' && (wanted === digits(number) || wanted === digits(areaCode) + digits(number))
}
