import type { FieldIssue } from '@lead-distribution/contract'
import { isSameUuid } from '@lead-distribution/engine'
import type { TenantChange } from '../control/tenants.ts'
import { createApiKey, createSecret } from './credentials.ts'
import { defaultAdvertiserCriteria } from './default-advertisers.ts'
import { defaultProductCriteria } from './default-products.ts'
import type { TenantRecord } from './tenant-record.ts'

/** A tenant as a change leaves it, or what is wrong with the change. */
export type ChangedTenant = { record: TenantRecord; issues?: never } | { issues: FieldIssue[]; record?: never }

/** How many products and how many advertisers an account has at the most: each submission looks at all of them. */
const maxParties = 100

/**
 * Applies a change to a tenant, wholly or not at all. Products and advertisers are merged by their id; one that is
 * not there yet is added, and then needs a name, so that a mistyped id is not taken for a new party.
 */
export async function changeTenant(record: TenantRecord, change: TenantChange): Promise<ChangedTenant> {
  const issues = [
    ...unnamedAdditions(change.products, record.products, 'product_id', 'products'),
    ...unnamedAdditions(change.advertisers, record.advertisers, 'advertiser_id', 'advertisers'),
  ]
  if (issues.length > 0) return { issues }
  const changed = structuredClone(record)
  if (change.settings) changed.settings = { ...changed.settings, ...change.settings }
  if (change.callback_url !== undefined) changed.publisher.callback_url = change.callback_url ?? undefined
  if (change.blacklist) changed.blacklist = change.blacklist
  for (const { criteria, ...product } of change.products ?? []) {
    const there = changed.products.find(({ product_id }) => isSameUuid(product_id, product.product_id))
    if (there) Object.assign(there, defined({ ...product, product_id: there.product_id }))
    const target = there ?? {
      name: '',
      active: true,
      criteria: structuredClone(defaultProductCriteria),
      ...defined(product),
    }
    Object.assign(target.criteria, defined(criteria ?? {}))
    if (!there) changed.products.push(target)
  }
  for (const { criteria, ...advertiser } of change.advertisers ?? []) {
    const there = changed.advertisers.find(({ advertiser_id }) => isSameUuid(advertiser_id, advertiser.advertiser_id))
    if (there) Object.assign(there, defined({ ...advertiser, advertiser_id: there.advertiser_id }))
    const target = there ?? {
      name: '',
      priority: Math.max(0, ...changed.advertisers.map(({ priority }) => priority)) + 1,
      api_key: await createApiKey(record, 'adv', `advertiser ${advertiser.advertiser_id}`),
      postback_secret: await createSecret(record, `postback ${advertiser.advertiser_id}`),
      criteria: structuredClone(defaultAdvertiserCriteria),
      ...defined(advertiser),
    }
    Object.assign(target.criteria, defined(criteria ?? {}))
    if (!there) changed.advertisers.push(target)
  }
  const overfull = (['products', 'advertisers'] as const).filter(list => changed[list].length > maxParties)
  return overfull.length === 0
    ? { record: changed }
    : { issues: overfull.map(field => ({ field, issue: `must not be more than ${maxParties} in all` })) }
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

/** An object without the fields that are undefined: they change nothing. */
function defined<T extends object>(value: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as never
}
