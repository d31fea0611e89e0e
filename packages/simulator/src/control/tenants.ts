import { isIpv4Range, loanPurposes, occupationTypes } from '@lead-distribution/contract'
import { dateTime, uuid } from '@lead-distribution/contract/shapes'
import { duration } from '@lead-distribution/engine'
import * as z from 'zod/mini'
import { maxParties } from '../tenants/change-tenant.ts'
import { tenantSettings } from '../tenants/tenant-account.ts'
import { type ControlOperation, operationDefaults, wholeNumber, withBody, withQuery } from './operation-defaults.ts'

const name = z.string().check(z.minLength(1), z.maxLength(100))
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
const productChange = z.strictObject({
  product_id: uuid,
  name: z.optional(name),
  active: z.optional(z.boolean()),
  criteria: z.optional(z.partial(productCriteria)),
})

/** An advertiser of a change: found by its id, or added under it, then with a name. */
const advertiserChange = z.strictObject({
  advertiser_id: uuid,
  name: z.optional(name),
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

/** The body of `POST /tenants`. */
const tenantCreation = z.strictObject({
  name: z.optional(
    z
      .string()
      .check(
        z.regex(
          /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
          'must be 1 to 63 lower-case letters, digits and inner hyphens',
        ),
      ),
  ),
  seed: z.optional(z.union([z.string().check(z.minLength(1), z.maxLength(200)), z.int()])),
  profile: z.optional(z.enum(['prose', 'formal'])),
  settings: z.optional(settingsChange),
  callback_url: z.optional(z.nullable(z.string())),
  frozen_at: z.optional(dateTime),
  expires_in: z.optional(z.nullable(duration)),
})

/** A creation of a tenant whose shape was checked. */
export type TenantCreation = z.output<typeof tenantCreation>

/** The query of the list of tenants. */
const tenantQuery = z.strictObject({ limit: z.optional(wholeNumber('limit')), before: z.optional(z.string()) })

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
  /** Real time, whatever the tenant's clock shows; absent where it stays. */
  expires_at: z.optional(dateTime),
})

const { publisher } = account.shape

/** The body of `PATCH /tenants/{t}`: what is to change. An account as it is shown is one too; what of it cannot change stays. */
const tenantChange = z.strictObject({
  ...z.partial(account).shape,
  publisher: z.optional(z.partial(publisher)),
  settings: z.optional(settingsChange),
  callback_url: z.optional(z.nullable(z.string())),
  expires_in: z.optional(z.nullable(duration)),
  products: z.optional(z.array(productChange).check(z.maxLength(maxParties))),
  advertisers: z.optional(z.array(advertiserChange).check(z.maxLength(maxParties))),
  blacklist: z.optional(z.array(blacklistEntry).check(z.maxLength(1_000))),
})

/** The body of a change, whose shape was checked. */
export type AccountChange = z.output<typeof tenantChange>

/** The operations on tenants as a whole. */
export const tenantOperations = {
  createTenant: {
    ...withBody,
    summary: 'Create a tenant: an isolated account with its own leads, settings, clock and callbacks.',
    methods: ['POST'],
    path: '/tenants',
    needs: 'admin',
    input: tenantCreation,
    status: 201,
    reply: account,
    errors: ['validation_error', 'tenant_exists', 'too_many'],
  },
  listTenants: {
    ...withQuery,
    summary: 'List the accounts of all tenants that the token opens, oldest first.',
    methods: ['GET'],
    path: '/tenants',
    input: tenantQuery,
    reply: z.strictObject({ tenants: z.array(account), next: z.optional(z.string()) }),
    errors: ['validation_error'],
  },
  showTenant: {
    ...operationDefaults,
    summary: 'Show the account of a tenant.',
    methods: ['GET'],
    path: '/tenants/:tenant',
    reply: account,
  },
  changeTenant: {
    ...withBody,
    summary:
      'Change settings, callback URL, products, advertisers, blacklist or expiry; takes an account as it is shown, too.',
    methods: ['PATCH'],
    path: '/tenants/:tenant',
    input: tenantChange,
    reply: account,
  },
  deleteTenant: {
    ...operationDefaults,
    summary: 'Delete a tenant and everything in it.',
    methods: ['DELETE'],
    path: '/tenants/:tenant',
    reply: z.strictObject({ deleted: z.string() }),
    errors: ['not_found', 'tenant_stays'],
  },
  resetTenant: {
    ...operationDefaults,
    summary:
      'Reset a tenant to its creation: same ids, keys and settings, nothing else; its callback URL and its snapshots stay.',
    methods: ['POST'],
    path: '/tenants/:tenant/reset',
    reply: account,
  },
} as const satisfies Record<string, ControlOperation>
