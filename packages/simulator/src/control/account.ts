import { isSigningSecret } from '@lead-distribution/contract'
import { advertiserCriteriaShape, dateTime, productCriteriaShape, uuid } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import { tenantSettings } from '../tenants/account.ts'
import { maxParties } from '../tenants/change-tenant.ts'
import { apiKeyForm } from '../tenants/tenant-identity.ts'

/** A name that somebody chose for people to read. */
export const displayName = z.string().check(z.minLength(1), z.maxLength(100))

export const settingsChange = z.partial(tenantSettings)

export const productCriteriaChange = z.partial(productCriteriaShape)

export const advertiserCriteriaChange = z.partial(advertiserCriteriaShape)

/** A product of a change: found by its id, or added under it, then with a name. */
export const productChange = z.strictObject({
  product_id: uuid,
  name: z.optional(displayName),
  active: z.optional(z.boolean()),
  criteria: z.optional(productCriteriaChange),
})

const chosenKey = (scope: Parameters<typeof apiKeyForm>[0]) => {
  const { pattern, issue } = apiKeyForm(scope)
  return z.optional(z.string().check(z.regex(pattern, issue)))
}

/** The key and the secret that are chosen for a publisher. */
export const publisherCredentials = z.strictObject({
  api_key: chosenKey('pub'),
  callback_secret: z.optional(
    z.string().check(z.maxLength(100), z.refine(isSigningSecret, 'must be whsec_ and base64 of 24 to 64 bytes')),
  ),
})

/** An advertiser of a change: found by its id, or added under it, then with a name. */
export const advertiserChange = z.strictObject({
  advertiser_id: uuid,
  name: z.optional(displayName),
  priority: z.optional(z.int()),
  api_key: chosenKey('adv'),
  postback_secret: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
  backend_url: z.optional(z.nullable(z.string())),
  criteria: z.optional(advertiserCriteriaChange),
})

/** A customer to reject, by any of these. */
export const blacklistEntry = z
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

export const blacklist = z.array(blacklistEntry).check(z.maxLength(1_000))

/** An advertiser besides its identity. */
export const advertiserContent = z.strictObject({
  advertiser_id: uuid,
  name: displayName,
  priority: z.int(),
  backend_url: z.optional(z.string()),
  criteria: advertiserCriteriaShape,
})

/** The part of an account besides its identity, with the bounds of a change. A file can bring it along. */
export const accountContent = z.strictObject({
  advertisers: z.array(advertiserContent).check(z.maxLength(maxParties)),
  products: z
    .array(z.strictObject({ product_id: uuid, name: displayName, active: z.boolean(), criteria: productCriteriaShape }))
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
      criteria: advertiserCriteriaShape,
    }),
  ),
  products: z.array(
    z.strictObject({ product_id: uuid, name: z.string(), active: z.boolean(), criteria: productCriteriaShape }),
  ),
  blacklist: z.array(blacklistEntry),
  settings: tenantSettings,
  /** True if its callbacks wait until this is false again, whatever its clock shows. */
  callbacks_held: z.boolean(),
  /** Present while its callbacks go to a listener in place of the callback URL; held while that is not connected. */
  listener: z.optional(z.strictObject({ listener_id: z.string(), forward_to: z.string(), connected: z.boolean() })),
  /** Real time, whatever the tenant's clock shows; absent where it stays. */
  expires_at: z.optional(dateTime),
})
