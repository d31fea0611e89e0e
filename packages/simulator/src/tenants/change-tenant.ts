import {
  type Account,
  advertiserCriteria,
  defaultsOf,
  type FieldIssue,
  productCriteria,
} from '@lead-distribution/contract'
import {
  account,
  advertiser,
  advertiserCredentials,
  advertiserCriteriaShape,
  duration,
  maxParties,
  product,
  productCriteriaShape,
  publisher,
  publisherCredentials,
  settingsChange,
  uuid,
} from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import { advertiserContent, type TenantRecord, tenantRecord } from '../storage/tenant-record.ts'
import { resetRecord } from './create-tenant.ts'
import { createAdvertiserCredentials, defined, type KeyHolder, publicPart, withCredentials } from './tenant-identity.ts'

export const publisherChange = z.extend(z.partial(publisher), z.partial(publisherCredentials).shape)

export const productCriteriaChange = z.partial(productCriteriaShape)

export const advertiserCriteriaChange = z.partial(advertiserCriteriaShape)

/** A product to change or, if no product has this id, to add. A new product needs a name. */
export const productChange = z.extend(z.partial(product, { name: true, active: true }), {
  criteria: z.optional(productCriteriaChange.check(z.describe('The criteria that a lead must meet.'))),
})

/** An advertiser to change or, if no advertiser has this id, to add. A new advertiser needs a name. */
export const advertiserChange = z.extend(z.partial(advertiser, { name: true, priority: true }), {
  ...z.partial(advertiserCredentials).shape,
  backend_url: z.optional(
    z
      .nullable(z.string())
      .check(
        z.describe(
          "The URL of the advertiser's own back end, which receives each lead that the advertiser accepts. None if empty.",
        ),
      ),
  ),
  criteria: z.optional(advertiserCriteriaChange.check(z.describe('The leads that the advertiser accepts.'))),
})

/** The body that changes a tenant. An account as the sandbox returns it is valid too. */
export const accountChange = z.extend(z.partial(account), {
  publisher: z.optional(publisherChange),
  advertisers: z.optional(z.array(advertiserChange).check(z.maxLength(maxParties))),
  products: z.optional(z.array(productChange).check(z.maxLength(maxParties))),
  settings: z.optional(settingsChange),
  /** Null for the tenant's own inbox. */
  callback_url: z.optional(z.nullable(z.string())),
  /** Ids of products and advertisers to remove. Their leads remain. */
  remove: z.optional(z.array(uuid).check(z.maxLength(2 * maxParties))),
  expires_in: z.optional(z.nullable(duration)),
})

export type AccountChange = z.output<typeof accountChange>

/** The changed tenant, or the issues of the change. */
export type ChangedTenant = { record: TenantRecord; issues?: never } | { issues: FieldIssue[]; record?: never }

/**
 * Atomically applies a change to a tenant. Merges products and advertisers by id. A new one needs a name, so that a
 * mistyped id doesn't add a party. `holderOf` finds the holder of a key with the same public part.
 */
export async function changeTenant(
  record: TenantRecord,
  change: AccountChange,
  holderOf: (apiKey: string) => KeyHolder | undefined,
): Promise<ChangedTenant> {
  const issues = [
    ...unnamedAdditions(change.products, record.products, 'product_id', 'products'),
    ...unnamedAdditions(change.advertisers, record.advertisers, 'advertiser_id', 'advertisers'),
    ...unknownRemovals(change.remove, record),
    ...keyIssues(record, change, holderOf),
  ]
  if (issues.length > 0) return { issues }
  const changed = structuredClone(record)
  if (change.settings) changed.settings = { ...changed.settings, ...change.settings }
  if (change.callback_url !== undefined) changed.publisher.callback_url = change.callback_url ?? undefined
  if (change.blacklist) changed.blacklist = change.blacklist
  if (change.callbacks_held !== undefined) changed.callbacks_held = change.callbacks_held
  for (const product of change.products ?? [])
    await merge(changed.products, 'product_id', product, async () => ({
      product_id: product.product_id,
      name: '',
      active: true,
      criteria: defaultsOf(productCriteria),
    }))
  for (const { backend_url, api_key: _key, postback_secret: _secret, ...advertiser } of change.advertisers ?? []) {
    const party = await merge<'advertiser_id', Account['advertisers'][number]>(
      changed.advertisers,
      'advertiser_id',
      advertiser,
      async () => ({
        advertiser_id: advertiser.advertiser_id,
        name: '',
        priority: Math.max(0, ...changed.advertisers.map(({ priority }) => priority)) + 1,
        ...(await createAdvertiserCredentials(record, advertiser.advertiser_id)),
        criteria: defaultsOf(advertiserCriteria),
      }),
    )
    if (backend_url !== undefined) party.backend_url = backend_url ?? undefined
  }
  const isRemoved = (id: string) => change.remove?.includes(id) ?? false
  changed.products = changed.products.filter(({ product_id }) => !isRemoved(product_id))
  changed.advertisers = changed.advertisers.filter(({ advertiser_id }) => !isRemoved(advertiser_id))
  const overfull = (['products', 'advertisers'] as const).filter(list => changed[list].length > maxParties)
  if (overfull.length > 0)
    return { issues: overfull.map(field => ({ field, issue: `must not be more than ${maxParties} in total` })) }
  return { record: choosesCredentials(change) ? await chooseCredentials(changed, change) : changed }
}

/** Merges a change into the party with its id, and keeps the id's spelling. Creates and adds a new party. */
async function merge<Key extends string, Party extends Record<Key, string> & { criteria: object }>(
  parties: Party[],
  key: Key,
  change: Record<Key, string> & { criteria?: object | undefined },
  create: () => Promise<Party>,
): Promise<Party> {
  const { criteria, ...fields } = change
  const id = change[key]
  const there = parties.find(party => party[key] === id)
  const party = there ?? (await create())
  Object.assign(party, defined({ ...fields, [key]: party[key] }))
  Object.assign(party.criteria, defined(criteria ?? {}))
  if (!there) parties.push(party)
  return party
}

function unnamedAdditions<Key extends string>(
  changes: readonly (Record<Key, string> & { name?: string | undefined })[] | undefined,
  there: readonly Record<Key, string>[],
  key: Key,
  list: string,
): FieldIssue[] {
  return (changes ?? []).flatMap((change, index) =>
    change.name !== undefined || there.some(other => other[key] === change[key])
      ? []
      : [{ field: `${list}.${index}.${key}`, issue: 'is not in this account; to add it, give it a name' }],
  )
}

function unknownRemovals(remove: readonly string[] = [], { products, advertisers }: TenantRecord): FieldIssue[] {
  const ids = [...products.map(({ product_id }) => product_id), ...advertisers.map(each => each.advertiser_id)]
  return remove.flatMap((id, index) =>
    ids.includes(id) ? [] : [{ field: `remove.${index}`, issue: 'is not a product or an advertiser of this account' }],
  )
}

/** The part of an account that a snapshot restores: everything but name, keys and secrets. */
export const accountContent = z.extend(z.pick(account, { products: true, blacklist: true }), {
  publisher: z.extend(z.pick(publisher, { publisher_id: true }), {
    callback_url: tenantRecord.shape.publisher.shape.callback_url,
  }),
  advertisers: z.array(advertiserContent).check(z.maxLength(maxParties)),
  settings: settingsChange,
  callbacks_held: tenantRecord.shape.callbacks_held,
})

/**
 * Gives a snapshot's account the tenant's current identity: its name, seed, keys, secrets, tokens and creation. An
 * advertiser that the tenant no longer has gets derived credentials, as if it were added, or those chosen for it.
 */
export async function withIdentityOf(
  own: TenantRecord,
  content: z.output<typeof accountContent>,
): Promise<TenantRecord> {
  const { blacklist, settings, callbacks_held } = content
  const advertisers = content.advertisers.map(async advertiser => {
    const current = own.advertisers.find(other => other.advertiser_id === advertiser.advertiser_id)
    const { api_key, postback_secret } = current ?? (await createAdvertiserCredentials(own, advertiser.advertiser_id))
    return { ...advertiser, api_key, postback_secret }
  })
  return withCredentials({
    ...own,
    publisher: { ...own.publisher, callback_url: content.publisher.callback_url },
    advertisers: z.parse(tenantRecord.shape.advertisers, await Promise.all(advertisers)),
    products: z.parse(tenantRecord.shape.products, content.products),
    blacklist,
    settings,
    callbacks_held,
  })
}

/** The part of a change that can choose keys and secrets. */
type CredentialChoice = Pick<AccountChange, 'publisher' | 'advertisers'>

type Credentials = NonNullable<TenantRecord['credentials']>

const isChosen = ({ api_key, postback_secret }: z.output<typeof advertiserChange>) =>
  api_key !== undefined || postback_secret !== undefined

/** Returns true if a change chooses a key or a secret. */
export function choosesCredentials({ publisher = {}, advertisers = [] }: CredentialChoice): boolean {
  return publisher.api_key !== undefined || publisher.callback_secret !== undefined || advertisers.some(isChosen)
}

/** Sets the keys and secrets that a change chooses. */
async function chooseCredentials(record: TenantRecord, change: CredentialChoice): Promise<TenantRecord> {
  const credentials = withChoice(record.credentials ?? {}, change)
  const lasting = await withInitialAdvertisers(record, change.advertisers?.filter(isChosen) ?? [])
  return withCredentials({ ...lasting, credentials })
}

/** Adds advertisers to the input that the tenant was created from, so that a reset keeps them. */
export async function withInitialAdvertisers(
  record: TenantRecord,
  named: readonly { readonly advertiser_id: string }[],
): Promise<TenantRecord> {
  const { created_from, advertisers } = record
  const { advertisers: kept } = await resetRecord(record)
  const isIn = (list: typeof named, id: string) => list.some(({ advertiser_id }) => advertiser_id === id)
  const more = advertisers
    .filter(({ advertiser_id }) => isIn(named, advertiser_id) && !isIn(kept, advertiser_id))
    .map(({ api_key: _key, postback_secret: _secret, ...advertiser }) => advertiser)
  return { ...record, created_from: { ...created_from, advertisers: [...(created_from.advertisers ?? []), ...more] } }
}

/** Returns issues for chosen keys that are not unique. */
function keyIssues(
  { tenant }: Pick<TenantRecord, 'tenant'>,
  { publisher, advertisers = [] }: CredentialChoice,
  holderOf: (apiKey: string) => KeyHolder | undefined,
): FieldIssue[] {
  const keys = advertisers.map(({ api_key }) => api_key && publicPart(api_key))
  const isOthers = (apiKey: string, advertiserId: string | undefined) => {
    const holder = holderOf(apiKey)
    return holder && !(holder.tenant === tenant && holder.advertiser_id === advertiserId)
  }
  const issue = 'begins like another key of this sandbox; choose a key with a unique part before the last underscore'
  const taken = advertisers.flatMap(({ advertiser_id, api_key }, index) =>
    api_key !== undefined && (isOthers(api_key, advertiser_id) || keys.indexOf(keys[index]) < index)
      ? [{ field: `advertisers.${index}.api_key`, issue }]
      : [],
  )
  const ofPublisher = publisher?.api_key !== undefined && isOthers(publisher.api_key, undefined)
  return ofPublisher ? [{ field: 'publisher.api_key', issue }, ...taken] : taken
}

function withChoice({ publisher, advertisers = [] }: Credentials, change: CredentialChoice): Credentials {
  const { api_key, callback_secret } = change.publisher ?? {}
  const chosen = [...advertisers]
  for (const { advertiser_id, api_key, postback_secret } of change.advertisers?.filter(isChosen) ?? []) {
    const choice = { advertiser_id, ...defined({ api_key, postback_secret }) }
    const index = chosen.findIndex(other => other.advertiser_id === advertiser_id)
    if (index < 0) chosen.push(choice)
    else chosen[index] = { ...chosen[index], ...choice }
  }
  return { publisher: { ...publisher, ...defined({ api_key, callback_secret }) }, advertisers: chosen }
}
