import { isIpv4Range, loanPurposes, occupationTypes } from '@lead-distribution/contract'
import { dateTime, uuid } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import { maxParties } from '../tenants/change-tenant.ts'
import { tenantSettings } from '../tenants/tenant-account.ts'

/** A name that somebody chose for people to read. */
export const displayName = z.string().check(z.minLength(1), z.maxLength(100))
const euros = z.int().check(z.gte(0))
const years = z.int().check(z.gte(0), z.lte(200))

/** How many countries a product names at most: there are 249. */
const maxCountries = 250

/** How many networks count as fraud at most. */
const maxFraudNetworks = 100

const band = z
  .strictObject({ min: euros, max: euros })
  .check(z.refine(({ min, max }) => min <= max, 'must have a min that is not above its max'))

const productCriteria = z.strictObject({
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

const advertiserCriteria = z.strictObject({
  loan_amount: band,
  loan_term_months: band,
  loan_purposes_excluded: z.array(z.enum(loanPurposes)).check(z.maxLength(loanPurposes.length)),
  minimum_monthly_income: euros,
})

/** Some of the settings, by their names. */
export const settingsChange = z.partial(tenantSettings)

/** A product of a change: found by its id, or added under it, then with a name. */
export const productChange = z.strictObject({
  product_id: uuid,
  name: z.optional(displayName),
  active: z.optional(z.boolean()),
  criteria: z.optional(z.partial(productCriteria)),
})

/** An advertiser of a change: found by its id, or added under it, then with a name. */
export const advertiserChange = z.strictObject({
  advertiser_id: uuid,
  name: z.optional(displayName),
  priority: z.optional(z.int()),
  api_key: z.optional(z.string()),
  postback_secret: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
  backend_url: z.optional(z.nullable(z.string())),
  criteria: z.optional(z.partial(advertiserCriteria)),
})

/** A customer to refuse, by any of these. */
const blacklistEntry = z
  .strictObject({
    email: z.optional(z.string().check(z.minLength(1))),
    phone: z.optional(z.string().check(z.regex(/\d/, 'must hold a digit'))),
    identification_number: z.optional(z.string().check(z.minLength(1))),
  })
  .check(
    z.refine(
      entry => Object.values(entry).some(value => value !== undefined),
      'must name an email, a phone or an identification_number',
    ),
  )

/** The customers to refuse. */
export const blacklist = z.array(blacklistEntry).check(z.maxLength(1_000))

/** The part of an account besides its identity, with the bounds of a change. A file can bring it along. */
export const accountContent = z.strictObject({
  advertisers: z
    .array(
      z.strictObject({
        advertiser_id: uuid,
        name: displayName,
        priority: z.int(),
        backend_url: z.optional(z.string()),
        criteria: advertiserCriteria,
      }),
    )
    .check(z.maxLength(maxParties)),
  products: z
    .array(z.strictObject({ product_id: uuid, name: displayName, active: z.boolean(), criteria: productCriteria }))
    .check(z.maxLength(maxParties)),
  blacklist,
  settings: settingsChange,
  callbacks_held: z.optional(z.boolean()),
})

/** An account as the control plane shows it, keys and secrets included: it is what its user integrates with. */
export const account = z.strictObject({
  tenant: z.string(),
  base_url: z.string(),
  publisher: z.strictObject({
    publisher_id: uuid,
    api_key: z.string(),
    callback_url: z.string(),
    callback_secret: z.string(),
  }),
  advertisers: z.array(
    z.strictObject({
      advertiser_id: uuid,
      name: z.string(),
      priority: z.int(),
      api_key: z.string(),
      postback_secret: z.string(),
      backend_url: z.optional(z.string()),
      criteria: advertiserCriteria,
    }),
  ),
  products: z.array(
    z.strictObject({ product_id: uuid, name: z.string(), active: z.boolean(), criteria: productCriteria }),
  ),
  blacklist: z.array(blacklistEntry),
  settings: tenantSettings,
  /** Whether its callbacks wait until this is false again, whatever its clock shows. */
  callbacks_held: z.boolean(),
  /** Real time, whatever the tenant's clock shows; absent where it stays. */
  expires_at: z.optional(dateTime),
})
