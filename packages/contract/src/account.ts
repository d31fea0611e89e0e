import * as z from 'zod/mini'
import {
  advertiserCriteria,
  type Criterion,
  type CriterionUnit,
  type CriterionValue,
  type ReadonlyCriteria,
} from './criteria.ts'
import { isSigningSecret } from './events.ts'
import { dateTime, uuid } from './format-shapes.ts'
import { productCriteria } from './rejections.ts'
import { sandboxKeyPrefix } from './request.ts'
import { type Settings, settings } from './settings.ts'

// The single shape of an account. The shapes that create, change, store, export, configure, show and document an
// account derive from it. The OpenAPI document shows the descriptions, and the console's forms show them as hints.

/** The maximum number of products and of advertisers in an account. Each submission checks all of them. */
export const maxParties = 100

/** A display name. */
export const displayName = z.string().check(z.minLength(1), z.maxLength(100))

/** The shape of a product's criteria. */
export const productCriteriaShape = criteriaShape(productCriteria)

/** The shape of an advertiser's criteria. */
export const advertiserCriteriaShape = criteriaShape(advertiserCriteria)

/** A publisher's key and secret, as an operator may choose them. Derived ones have the same form. */
export const publisherCredentials = z.strictObject({
  api_key: apiKey('pub').check(z.describe('An API key of your choice, instead of a generated one.')),
  callback_secret: z
    .string()
    .check(
      z.maxLength(100),
      z.refine(isSigningSecret, 'must be whsec_ followed by base64 of 24 to 64 bytes, with padding and without spaces'),
      z.describe("A secret of your choice that signs the publisher's callbacks, instead of a generated one."),
    ),
})

/** An advertiser's key and secret, as an operator may choose them. Derived ones have the same form. */
export const advertiserCredentials = z.strictObject({
  api_key: apiKey('adv').check(
    z.describe("An API key of your choice, instead of a generated one. Requires the sandbox's admin token."),
  ),
  postback_secret: z
    .string()
    .check(
      z.minLength(1),
      z.maxLength(200),
      z.describe(
        "A secret of your choice that signs the advertiser's postback URLs, instead of a generated one. Requires the sandbox's admin token.",
      ),
    ),
})

/** A publisher. The key and the secret may be any text, because a read-only token sees a different text instead. */
export const publisher = z.strictObject({
  publisher_id: uuid.check(z.describe("The publisher's id, a UUID. Cannot be changed.")),
  api_key: z.string().check(z.describe('The API key for submissions.')),
  callback_url: z
    .string()
    .check(
      z.describe(
        "The URL that receives the publisher's callbacks: on the sandbox's own machine, or on an allowed host.",
      ),
    ),
  callback_secret: z.string().check(z.describe("The Standard Webhooks secret that signs the publisher's callbacks.")),
})

/** An advertiser. */
export const advertiser = z.strictObject({
  advertiser_id: uuid.check(z.describe("The advertiser's id, a UUID.")),
  name: displayName.check(z.describe("The advertiser's display name.")),
  priority: z.int().check(z.describe("The advertiser's priority. Leads are offered to the lowest number first.")),
  api_key: z.string().check(z.describe('The API key for status updates.')),
  postback_secret: z.string().check(z.describe("The secret that signs the advertiser's postback URLs.")),
  backend_url: z.optional(
    z
      .string()
      .check(
        z.describe("The URL of the advertiser's own back end, which receives each lead that the advertiser accepts."),
      ),
  ),
  criteria: advertiserCriteriaShape.check(z.describe('The leads that the advertiser accepts.')),
})

/** A product. */
export const product = z.strictObject({
  product_id: uuid.check(z.describe("The product's id, a UUID.")),
  name: displayName.check(z.describe("The product's display name.")),
  active: z.boolean().check(z.describe('True if the product accepts leads.')),
  criteria: productCriteriaShape.check(z.describe('The criteria that a lead must meet.')),
})

/** A customer to reject, matched by any of these fields. */
export const blacklistEntry = z
  .strictObject({
    email: z.optional(z.string().check(z.minLength(1), z.describe('E-mail address, ignoring letter case.'))),
    phone: z.optional(
      z
        .string()
        .check(z.regex(/\d/, 'must contain a digit'), z.describe('Phone number, ignoring spaces and punctuation.')),
    ),
    identification_number: z.optional(
      z
        .string()
        .check(
          z.minLength(1),
          z.describe('Number of the national id, foreigner id or passport, ignoring letter case.'),
        ),
    ),
  })
  .check(
    z.refine(
      entry => Object.values(entry).some(value => value !== undefined),
      'must have an email, a phone or an identification_number',
    ),
  )

/** An account, including keys and secrets: everything that an integration needs. */
export const account = z.strictObject({
  tenant: z.string().check(z.describe("The name of the account's tenant.")),
  base_url: z.string().check(z.describe('The base URL of the service, including the version.')),
  publisher: publisher.check(z.describe("The account's publisher.")),
  advertisers: z.array(advertiser).check(z.maxLength(maxParties), z.describe("The account's advertisers.")),
  products: z.array(product).check(z.maxLength(maxParties), z.describe("The account's products.")),
  blacklist: z.array(blacklistEntry).check(z.maxLength(1_000), z.describe('The customers that the account rejects.')),
  settings: settings.check(z.describe('All settings of the account, including those of its profile.')),
  callbacks_held: z.boolean().check(z.describe("True while callbacks are held, regardless of the tenant's clock.")),
  listener: z.optional(
    z
      .strictObject({
        listener_id: z.string(),
        forward_to: z.string().check(z.describe('The URL that the listener forwards callbacks to.')),
        connected: z
          .boolean()
          .check(z.describe('False while the listener is disconnected. Callbacks are held until it reconnects.')),
      })
      .check(z.describe('Present while callbacks go to a listener instead of the callback URL.')),
  ),
  expires_at: z.optional(
    dateTime.check(z.describe('The real time at which the tenant is deleted. Absent if it never expires.')),
  ),
})

/** A publisher. */
export type Publisher = z.output<typeof publisher>

/** An advertiser. */
export type Advertiser = z.output<typeof advertiser>

/** A product. */
export type Product = z.output<typeof product>

/** A customer to reject, matched by any of these fields. */
export type BlacklistEntry = z.output<typeof blacklistEntry>

/** The part of an account that the service uses. */
export type Account = Pick<
  z.output<typeof account>,
  'publisher' | 'advertisers' | 'products' | 'blacklist' | 'settings'
>

/** The part of an account that decides leads. Test leads are built from it. */
export interface PublishedAccount {
  /** The publisher. */
  readonly publisher: Readonly<Pick<Publisher, 'publisher_id'>>
  /** The products, with their criteria. */
  readonly products: readonly Readonly<
    Pick<Product, 'product_id' | 'active'> & { criteria: ReadonlyCriteria<Product['criteria']> }
  >[]
  /** The advertisers. */
  readonly advertisers: readonly { readonly criteria: ReadonlyCriteria<Advertiser['criteria']> }[]
  /** The customers to reject. */
  readonly blacklist: readonly Readonly<BlacklistEntry>[]
  /** The settings that test leads depend on. */
  readonly settings?: Readonly<Pick<Settings, 'duplicate_window'>>
}

function apiKey(scope: 'pub' | 'adv') {
  const prefix = `${sandboxKeyPrefix}${scope}_`
  return z
    .string()
    .check(
      z.regex(
        new RegExp(`^${prefix}[A-Za-z0-9-]{1,64}_[A-Za-z0-9]{16,64}$`),
        `must be ${prefix}NAME_SECRET, with a name of 1 to 64 letters, digits and hyphens and a secret of 16 to 64 letters and digits`,
      ),
    )
}

function criteriaShape<Criteria extends Readonly<Record<string, Criterion>>>(criteria: Criteria) {
  const shapes = Object.entries(criteria).map(([name, criterion]) => [name, criterionShape(criterion)])
  return z.strictObject(
    Object.fromEntries(shapes) as {
      -readonly [Name in keyof Criteria]: z.ZodMiniType<CriterionValue<Criteria[Name]>>
    },
  )
}

function criterionShape(criterion: Criterion): z.ZodMiniType {
  const wholeNumber = z.int().check(z.gte(0))
  const inUnit = (unit: CriterionUnit) => z.meta<unknown>({ 'x-unit': unit })
  if (criterion.type === 'band')
    return z.strictObject({ min: wholeNumber, max: wholeNumber }).check(
      z.refine(({ min, max }) => min <= max, 'must have a min that is not greater than its max'),
      inUnit(criterion.unit),
    )
  if (criterion.type === 'integer') {
    const { max = Number.MAX_SAFE_INTEGER, unit } = criterion
    return wholeNumber.check(z.lte(max), inUnit(unit))
  }
  const { values, format, maxItems = values?.length } = criterion
  const item = format && ('pattern' in format ? z.regex(format.pattern, format.issue) : formatCheck(format))
  const list = z.array(values ? z.enum(values) : z.string().check(...(item ? [item] : [])))
  return maxItems === undefined ? list : list.check(z.maxLength(maxItems))
}

function formatCheck({ accepts, issue }: { readonly accepts: (item: string) => boolean; readonly issue: string }) {
  return z.refine<string>(accepts, { error: issue, abort: true })
}
