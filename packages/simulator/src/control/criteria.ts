import { isIpv4Range, loanPurposes, occupationTypes } from '@lead-distribution/contract'
import * as z from 'zod/mini'

const euros = z.int().check(z.gte(0))
const years = z.int().check(z.gte(0), z.lte(200))

/** How many countries a product names at most: there are 249. */
const maxCountries = 250

/** How many networks count as fraud at most. */
const maxFraudNetworks = 100

const band = z
  .strictObject({ min: euros, max: euros })
  .check(z.refine(({ min, max }) => min <= max, 'must have a min that is not above its max'))

/** Which customers a product is for. */
export const productCriteria = z.strictObject({
  min_age: years,
  max_age: years,
  minimum_monthly_income: euros,
  countries: z
    .array(z.string().check(z.regex(/^[A-Z]{2}$/, 'must be a country of two capital letters, such as ES')))
    .check(z.maxLength(maxCountries)),
  loan_amount: band,
  loan_term_months: band,
  occupations_excluded: z.array(z.enum(occupationTypes)).check(z.maxLength(occupationTypes.length)),
  fraud_ip_ranges: z
    .array(
      z.string().check(z.refine(isIpv4Range, { error: 'must be an IPv4 network, such as 192.0.2.0/24', abort: true })),
    )
    .check(z.maxLength(maxFraudNetworks)),
})

/** Which leads a simulated advertiser takes. */
export const advertiserCriteria = z.strictObject({
  loan_amount: band,
  loan_term_months: band,
  loan_purposes_excluded: z.array(z.enum(loanPurposes)).check(z.maxLength(loanPurposes.length)),
  minimum_monthly_income: euros,
})
