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

// The one shape of an account. What creates and changes one, what is stored, exported, configured, shown and documented is
// made of it. The OpenAPI document shows the descriptions, and the console's forms show them as hints.

/** The maximum number of products and of advertisers of an account: each submission looks at all of them. */
export const maxParties = 100

/** A name that somebody chose for people to read. */
export const displayName = z.string().check(z.minLength(1), z.maxLength(100))

/** The shape of a product's criteria, all of them. */
export const productCriteriaShape = criteriaShape(productCriteria)

/** The shape of an advertiser's criteria, all of them. */
export const advertiserCriteriaShape = criteriaShape(advertiserCriteria)

/** The key and the secret of a publisher, as an operator may choose them. Derived ones have the same form. */
export const publisherCredentials = z.strictObject({
  api_key: apiKey('pub').check(z.describe('An API key of your choice, in place of its own.')),
  callback_secret: z
    .string()
    .check(
      z.maxLength(100),
      z.refine(isSigningSecret, 'must be whsec_ and base64 of 24 to 64 bytes, with its padding and without blanks'),
      z.describe('A secret of your choice that signs its callbacks, in place of its own.'),
    ),
})

/** The key and the secret of an advertiser, as an operator may choose them. Derived ones have the same form. */
export const advertiserCredentials = z.strictObject({
  api_key: apiKey('adv').check(
    z.describe("An API key of your choice, in place of its own. Requires the sandbox's admin token."),
  ),
  postback_secret: z
    .string()
    .check(
      z.minLength(1),
      z.maxLength(200),
      z.describe(
        "A secret of your choice behind its postback URLs, in place of its own. Requires the sandbox's admin token.",
      ),
    ),
})

/** A publisher. Its key and its secret are texts of any form, because a read-only token sees another text in their place. */
export const publisher = z.strictObject({
  publisher_id: uuid.check(z.describe('Its id. It cannot change.')),
  api_key: z.string().check(z.describe('The key of its submissions.')),
  callback_url: z
    .string()
    .check(z.describe("The URL that receives its callbacks: on the sandbox's own machine, or on an allowed host.")),
  callback_secret: z.string().check(z.describe('The Standard Webhooks secret that signs its callbacks.')),
})

/** An advertiser. */
export const advertiser = z.strictObject({
  advertiser_id: uuid.check(z.describe('Its id, a UUID.')),
  name: displayName.check(z.describe('Its name, for people.')),
  priority: z
    .int()
    .check(z.describe('Its place in the order in which advertisers are asked: the lowest number first.')),
  api_key: z.string().check(z.describe('The key of its status updates.')),
  postback_secret: z.string().check(z.describe('The secret that signs its postback URLs.')),
  backend_url: z.optional(
    z.string().check(z.describe('The URL of its own back end, which gets each lead that it accepts.')),
  ),
  criteria: advertiserCriteriaShape.check(z.describe('The leads that it accepts.')),
})

/** A product. */
export const product = z.strictObject({
  product_id: uuid.check(z.describe('Its id, a UUID.')),
  name: displayName.check(z.describe('Its name, for people.')),
  active: z.boolean().check(z.describe('True if it accepts leads.')),
  criteria: productCriteriaShape.check(z.describe('The criteria that a lead must meet.')),
})

/** A customer to reject, by any of these. */
export const blacklistEntry = z
  .strictObject({
    email: z.optional(z.string().check(z.minLength(1), z.describe('E-mail address, letter case ignored.'))),
    phone: z.optional(
      z.string().check(z.regex(/\d/, 'must hold a digit'), z.describe('Phone number; spaces and signs are ignored.')),
    ),
    identification_number: z.optional(
      z
        .string()
        .check(
          z.minLength(1),
          z.describe('Number of a national id, a foreigner id or a passport, letter case ignored.'),
        ),
    ),
  })
  .check(
    z.refine(
      entry => Object.values(entry).some(value => value !== undefined),
      'must name an email, a phone or an identification_number',
    ),
  )

/** An account, keys and secrets included: it is what its user integrates with. */
export const account = z.strictObject({
  tenant: z.string().check(z.describe('The name of its tenant.')),
  base_url: z.string().check(z.describe('The base URL of the service, including the version.')),
  publisher: publisher.check(z.describe('Its publisher.')),
  advertisers: z.array(advertiser).check(z.maxLength(maxParties), z.describe('Its advertisers.')),
  products: z.array(product).check(z.maxLength(maxParties), z.describe('Its products.')),
  blacklist: z.array(blacklistEntry).check(z.maxLength(1_000), z.describe('The customers that it rejects.')),
  settings: settings.check(z.describe('Its settings, those of its profile included.')),
  callbacks_held: z
    .boolean()
    .check(z.describe('True if its callbacks wait until this is false again, whatever the clock of its tenant shows.')),
  listener: z.optional(
    z
      .strictObject({
        listener_id: z.string(),
        forward_to: z.string().check(z.describe('The URL that the listener sends the callbacks to.')),
        connected: z.boolean().check(z.describe('False while the listener is away: the callbacks are held then.')),
      })
      .check(z.describe('Present while its callbacks go to a listener in place of the callback URL.')),
  ),
  expires_at: z.optional(dateTime.check(z.describe('The real time when the tenant is deleted; absent if it stays.'))),
})

/** A publisher. */
export type Publisher = z.output<typeof publisher>

/** An advertiser. */
export type Advertiser = z.output<typeof advertiser>

/** A product. */
export type Product = z.output<typeof product>

/** A customer to reject, by any of these. */
export type BlacklistEntry = z.output<typeof blacklistEntry>

/** The part of an account that the service works with. */
export type Account = Pick<
  z.output<typeof account>,
  'publisher' | 'advertisers' | 'products' | 'blacklist' | 'settings'
>

/** The part of an account that decides on leads. Test leads are built from it. */
export interface PublishedAccount {
  /** Its publisher. */
  readonly publisher: Readonly<Pick<Publisher, 'publisher_id'>>
  /** Its products, with their criteria. */
  readonly products: readonly Readonly<
    Pick<Product, 'product_id' | 'active'> & { criteria: ReadonlyCriteria<Product['criteria']> }
  >[]
  /** Its advertisers. */
  readonly advertisers: readonly { readonly criteria: ReadonlyCriteria<Advertiser['criteria']> }[]
  /** The customers that it rejects. */
  readonly blacklist: readonly Readonly<BlacklistEntry>[]
  /** Its interpretation of the specification, as far as test leads depend on it. */
  readonly settings?: Readonly<Pick<Settings, 'duplicate_window'>>
}

function apiKey(scope: 'pub' | 'adv') {
  const prefix = `${sandboxKeyPrefix}${scope}_`
  return z
    .string()
    .check(
      z.regex(
        new RegExp(`^${prefix}[A-Za-z0-9-]{1,64}_[A-Za-z0-9]{16,64}$`),
        `must be ${prefix}NAME_SECRET: the name 1 to 64 letters, digits and hyphens, the secret 16 to 64 letters and digits`,
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
      z.refine(({ min, max }) => min <= max, 'must have a min that is not above its max'),
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
