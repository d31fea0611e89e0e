import { type Judge, notStated } from './rule.ts'

/**
 * @spec 2.12/geographic_restriction
 * The country of residence decides, not the nationality.
 */
export const geographicRestriction: Judge = ({ lead, product }) => {
  const country = lead.customer.address?.country
  if (country === undefined || !product) return notStated
  const threshold = product.criteria.countries
  const passes = threshold.includes(country.toUpperCase())
  const [first] = threshold
  return {
    passes,
    input: country,
    threshold,
    hint: `Send an address.country among ${threshold.join(', ')}.`,
    nearest: passes || first === undefined ? undefined : { field: 'customer.address.country', value: first },
  }
}
