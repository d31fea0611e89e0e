import {
  type Account,
  advertiserCriteria,
  type BlacklistEntry,
  defaultsOf,
  isSameJson,
  productCriteria,
  type Settings,
} from '@lead-distribution/contract'

// The console loads only this file, to write tests with a tenant like the one that it shows.

/** The advertisers of a new tenant, in the order in which leads are offered to them. Other criteria have defaults. */
export const initialAdvertisers = [
  {
    label: 'first',
    name: 'Crédito Alba',
    criteria: { loan_amount: { min: 500, max: 10_000 } },
  },
  {
    label: 'second',
    name: 'Banco Brisa',
    criteria: { loan_amount: { min: 3_000, max: 30_000 }, minimum_monthly_income: 1_200 },
  },
  { label: 'third', name: 'Caja Cumbre', criteria: {} },
] as const

/** The products of a new tenant, with the default criteria. */
export const initialProducts = [
  { label: 'active', name: 'Personal loan', active: true },
  { label: 'inactive', name: 'Discontinued loan', active: false },
] as const

/** The blacklist of a new tenant: a document number that does not exist, with which any lead can reach `blacklisted`. */
export const initialBlacklist: readonly BlacklistEntry[] = [{ identification_number: 'BLACKLISTED-1' }]

/** The settings that affect decisions on leads and their responses. */
export const decidingSettings = {
  gender: true,
  consent_metadata: true,
  semantic_refusals: true,
  absent_fields: true,
  duplicate_window: true,
  distribution: true,
} as const satisfies { readonly [Name in keyof Settings]?: true }

/** Returns the settings that affect decisions on leads and their responses. */
export function decidingSettingsOf(settings: Settings): Pick<Settings, keyof typeof decidingSettings> {
  const names = Object.keys(decidingSettings) as (keyof typeof decidingSettings)[]
  return Object.fromEntries(names.map(name => [name, settings[name]])) as ReturnType<typeof decidingSettingsOf>
}

/**
 * Returns the products, the advertisers and the blacklist that a new tenant needs to decide like an account. Omits
 * those that a new tenant has anyway, and criteria with default values. Contains no keys or secrets.
 */
export function decidingChange(account: Pick<Account, 'products' | 'advertisers' | 'blacklist'>) {
  const products = account.products.map(({ product_id, name, active, criteria }) => ({
    product_id,
    name,
    active,
    criteria: changed(criteria, defaultsOf(productCriteria)),
  }))
  const advertisers = account.advertisers.map(({ advertiser_id, name, priority, criteria }) => ({
    advertiser_id,
    name,
    priority,
    criteria: changed(criteria, defaultsOf(advertiserCriteria)),
  }))
  const { blacklist } = account
  const isInitial = {
    products: isEvery(
      products,
      initialProducts,
      ({ active, criteria }, initial) => active === initial.active && isSameJson(criteria, {}),
    ),
    advertisers: isEvery(
      advertisers,
      initialAdvertisers,
      ({ priority, criteria }, initial, index) => priority === index + 1 && isSameJson(criteria, initial.criteria),
    ),
    blacklist: isEvery(blacklist, initialBlacklist, isSameJson),
  }
  return {
    ...(!isInitial.products && { products }),
    ...(!isInitial.advertisers && { advertisers }),
    ...(!isInitial.blacklist && { blacklist }),
  }
}

function isEvery<One, Other>(
  list: readonly One[],
  others: readonly Other[],
  isAlike: (one: One, other: Other, index: number) => boolean,
): boolean {
  return list.length === others.length && others.every((other, index) => isAlike(list[index] as One, other, index))
}

/** Returns the criteria with other values. */
function changed<Criteria extends object>(criteria: Criteria, from: Criteria): Partial<Criteria> {
  const names = Object.keys(criteria) as (keyof Criteria)[]
  const differing = names.filter(name => !isSameJson(criteria[name], from[name]))
  return Object.fromEntries(differing.map(name => [name, criteria[name]])) as Partial<Criteria>
}
