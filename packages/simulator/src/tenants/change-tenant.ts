import {
  type AdvertiserCriteria,
  type BlacklistEntry,
  type FieldIssue,
  isSameUuid,
  type ProductCriteria,
} from '@lead-distribution/contract'
import type {
  AdvertiserRecord,
  PublisherCredentials,
  TenantRecord,
  TenantSettingsOverrides,
} from '../storage/tenant-record.ts'
import { defaultAdvertiserCriteria, defaultProductCriteria, withDefaultCriteria } from './account.ts'
import { chooseCredentials, keyIssues } from './choose-credentials.ts'
import {
  choosesCredentials,
  createAdvertiserCredentials,
  defined,
  type KeyHolder,
  type Some,
  withCredentials,
} from './tenant-identity.ts'

/** A product of a change: found by its id, or added under it, then with a name. */
export interface ProductChange {
  product_id: string
  name?: string | undefined
  active?: boolean | undefined
  criteria?: Some<ProductCriteria> | undefined
}

/** An advertiser of a change: found by its id, or added under it, then with a name. */
export interface AdvertiserChange {
  advertiser_id: string
  name?: string | undefined
  priority?: number | undefined
  /** Chosen by the operator. */
  api_key?: string | undefined
  /** Chosen by the operator. */
  postback_secret?: string | undefined
  /** Null for none. */
  backend_url?: string | null | undefined
  criteria?: Some<AdvertiserCriteria> | undefined
}

export interface TenantChange {
  settings?: TenantSettingsOverrides | undefined
  /** Chosen by the operator. */
  publisher?: Some<PublisherCredentials> | undefined
  /** Null for the tenant's own inbox. */
  callback_url?: string | null | undefined
  products?: ProductChange[] | undefined
  advertisers?: AdvertiserChange[] | undefined
  /** Replaces the blacklist. */
  blacklist?: BlacklistEntry[] | undefined
  /** Ids of products and advertisers to remove. Their leads stay. */
  remove?: string[] | undefined
  /** Holds its callbacks, or releases them. */
  callbacks_held?: boolean | undefined
}

/** A tenant after a change, or the issues of the change. */
export type ChangedTenant = { record: TenantRecord; issues?: never } | { issues: FieldIssue[]; record?: never }

/** The maximum number of products and of advertisers of an account: each submission looks at all of them. */
export const maxParties = 100

/**
 * Applies a change to a tenant, wholly or not at all. Products and advertisers are merged by their id. A new one needs a
 * name, so that a mistyped id is not taken for a new party. `holderOf` finds who has a key already, up
 * to its secret part.
 */
export async function changeTenant(
  record: TenantRecord,
  change: TenantChange,
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
      criteria: structuredClone(defaultProductCriteria),
    }))
  for (const { backend_url, api_key: _key, postback_secret: _secret, ...advertiser } of change.advertisers ?? []) {
    const party = await merge<'advertiser_id', AdvertiserRecord>(
      changed.advertisers,
      'advertiser_id',
      advertiser,
      async () => ({
        advertiser_id: advertiser.advertiser_id,
        name: '',
        priority: Math.max(0, ...changed.advertisers.map(({ priority }) => priority)) + 1,
        ...(await createAdvertiserCredentials(record, advertiser.advertiser_id)),
        criteria: structuredClone(defaultAdvertiserCriteria),
      }),
    )
    if (backend_url !== undefined) party.backend_url = backend_url ?? undefined
  }
  const isRemoved = (id: string) => change.remove?.some(other => isSameUuid(other, id)) ?? false
  changed.products = changed.products.filter(({ product_id }) => !isRemoved(product_id))
  changed.advertisers = changed.advertisers.filter(({ advertiser_id }) => !isRemoved(advertiser_id))
  const overfull = (['products', 'advertisers'] as const).filter(list => changed[list].length > maxParties)
  if (overfull.length > 0)
    return { issues: overfull.map(field => ({ field, issue: `must not be more than ${maxParties} in all` })) }
  return { record: choosesCredentials(change) ? await chooseCredentials(changed, change) : changed }
}

/** Merges a change into the party of its id, whose spelling stays; a new one is created and added. */
async function merge<Key extends string, Party extends Record<Key, string> & { criteria: object }>(
  parties: Party[],
  key: Key,
  change: Record<Key, string> & { criteria?: object | undefined },
  create: () => Promise<Party>,
): Promise<Party> {
  const { criteria, ...fields } = change
  const id = change[key]
  const there = parties.find(party => isSameUuid(party[key], id))
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
    change.name !== undefined || there.some(other => isSameUuid(other[key], change[key]))
      ? []
      : [{ field: `${list}.${index}.${key}`, issue: 'is not in this account; to add it, give it a name' }],
  )
}

function unknownRemovals(remove: readonly string[] = [], { products, advertisers }: TenantRecord): FieldIssue[] {
  const ids = [...products.map(({ product_id }) => product_id), ...advertisers.map(each => each.advertiser_id)]
  return remove.flatMap((id, index) =>
    ids.some(other => isSameUuid(other, id))
      ? []
      : [{ field: `remove.${index}`, issue: 'is not a product or an advertiser of this account' }],
  )
}

/** The part of an account besides its identity, which a test changes and a snapshot brings back. */
export interface AccountContent extends Pick<TenantRecord, 'products' | 'blacklist' | 'settings' | 'callbacks_held'> {
  readonly publisher: Pick<TenantRecord['publisher'], 'callback_url'>
  readonly advertisers: readonly Omit<AdvertiserRecord, 'api_key' | 'postback_secret'>[]
}

/**
 * Gives the account of a snapshot the identity of its tenant: name, seed, keys, secrets, tokens and creation are those that
 * the tenant has now. An advertiser that the tenant no longer has gets the credentials that adding it would give, or those chosen for it.
 */
export async function withIdentityOf(own: TenantRecord, content: AccountContent): Promise<TenantRecord> {
  const { products, advertisers: listed } = withDefaultCriteria(content)
  const advertisers = listed.map(async advertiser => {
    const current = own.advertisers.find(other => isSameUuid(other.advertiser_id, advertiser.advertiser_id))
    const { api_key, postback_secret } = current ?? (await createAdvertiserCredentials(own, advertiser.advertiser_id))
    return { ...advertiser, api_key, postback_secret }
  })
  const { blacklist, settings, callbacks_held } = content
  return withCredentials({
    ...own,
    publisher: { ...own.publisher, callback_url: content.publisher.callback_url },
    advertisers: await Promise.all(advertisers),
    products,
    blacklist,
    settings,
    callbacks_held,
  })
}
