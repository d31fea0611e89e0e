import { loanAmountBounds, loanTermBounds } from '@lead-distribution/contract'
import {
  type Account,
  type AdvertiserCriteria,
  type BlacklistEntry,
  type ProductCriteria,
  resolveSettings,
  type Settings,
  settingsShape,
} from '@lead-distribution/engine'
import * as z from 'zod/mini'
import { lifecycle } from '../advertisers/advertiser-network.ts'
import { takingInbox } from '../callbacks/inbox.ts'
import { noFaults } from '../faults/fault-store.ts'
import type { Urls } from '../paths.ts'
import type { NewestIds, TenantDocuments } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-storage.ts'
import type { AdvertiserRecord, Lifecycle, TenantRecord, TenantSettingsOverrides } from '../storage/tenant-record.ts'
import type { ClockState } from '../time/clock.ts'

/** Every setting of a tenant: the switches of the open points, and what its simulated advertiser reports by itself. */
export const tenantSettings = z.extend(settingsShape, { lifecycle })

/** The settings of a tenant, all of them. */
export type TenantSettings = Settings & { lifecycle: Lifecycle }

/** A tenant's settings: its profile, and above it what it sets by itself. */
export function resolveTenantSettings({ lifecycle = [], ...overrides }: TenantSettingsOverrides): TenantSettings {
  return { ...resolveSettings(overrides), lifecycle }
}

/** An account as the engine sees it, with what the sandbox adds to its settings. */
export interface TenantAccount extends Account {
  advertisers: readonly AdvertiserRecord[]
  settings: TenantSettings
}

/** The account of a tenant. */
export function accountOf(record: TenantRecord, urls: Urls): TenantAccount {
  const { publisher, advertisers, products, blacklist } = record
  return {
    publisher: { ...publisher, callback_url: publisher.callback_url ?? urls.inbox(record.tenant) },
    advertisers,
    products,
    blacklist,
    settings: resolveTenantSettings(record.settings),
  }
}

/** The state of a tenant, besides its record and its rows. */
export interface TenantState extends Readonly<TenantDocuments> {
  readonly newest: NewestIds
  /** The number of the newest request of its journal; 0 where there is none. */
  readonly newestRequest: number
}

/** A tenant as it is stored. */
export interface StoredTenant {
  readonly record: TenantRecord
  readonly state: TenantState
}

/** The documents of a shared tenant that processes keep in memory. */
export interface TenantInMemory {
  readonly record: TenantRecord
  readonly version: number
  readonly documents: Partial<TenantDocuments>
}

/** A tenant that was just created or reset: nothing else is stored of it. */
export function newTenant(record: TenantRecord): StoredTenant {
  const newest = { lead_id: undefined, callback_id: undefined }
  return { record, state: { newest, newestRequest: 0, ...documentsOf(record, {}) } }
}

/** Reads the state of a tenant. `check` throws where a document cannot be read. */
export async function readTenant(
  record: TenantRecord,
  tables: SandboxTables,
  check = (written: Partial<TenantDocuments>) => written,
): Promise<StoredTenant> {
  const documents = documentsOf(record, check(await tables.readDocuments()))
  const ids = await tables.newestIds()
  const newestRequest = (await tables.readRequests())[0]?.number ?? 0
  // What was deleted for its age had ids and numbers too, which are not given again.
  const last = documents.ages.at(-1)
  const newest = {
    lead_id: later(ids.lead_id, last?.newest.lead_id),
    callback_id: later(ids.callback_id, last?.newest.callback_id),
  }
  const state = { newest, newestRequest: Math.max(newestRequest, last?.newestRequest ?? 0), ...documents }
  return { record, state }
}

/** The later of two ids, which grow. */
function later(one: string | undefined, other: string | undefined): string | undefined {
  return one === undefined || (other !== undefined && other > one) ? other : one
}

/** All documents of a tenant; one that was never written is as at the start. */
export function documentsOf(record: TenantRecord, written: Partial<TenantDocuments>): TenantDocuments {
  return { clock: initialClock(record), faults: noFaults, inbox: takingInbox, coverage: {}, ages: [], ...written }
}

/** The state of a clock that was never changed. */
function initialClock({ made }: Pick<TenantRecord, 'made'>): ClockState {
  const frozenAt = made?.frozen_at
  return frozenAt === undefined ? { mode: 'running', ahead_ms: 0 } : { mode: 'frozen', now: frozenAt }
}

/** The criteria of an advertiser that names none; none takes more than 50000 euros, so that leads can stay `new`. */
export const defaultAdvertiserCriteria: AdvertiserCriteria = {
  loan_amount: { min: 500, max: 50_000 },
  loan_term_months: { ...loanTermBounds },
  loan_purposes_excluded: [],
  minimum_monthly_income: 0,
}

/** The advertisers of a new tenant, in the order in which they are asked. */
export const defaultAdvertisers = [
  {
    label: 'first',
    name: 'Crédito Alba',
    criteria: { ...defaultAdvertiserCriteria, loan_amount: { min: 500, max: 10_000 } },
  },
  {
    label: 'second',
    name: 'Banco Brisa',
    criteria: { ...defaultAdvertiserCriteria, loan_amount: { min: 3_000, max: 30_000 }, minimum_monthly_income: 1_200 },
  },
  { label: 'third', name: 'Caja Cumbre', criteria: defaultAdvertiserCriteria },
] as const

/** The criteria of a product that names none. */
export const defaultProductCriteria: ProductCriteria = {
  min_age: 18,
  max_age: 75,
  minimum_monthly_income: 600,
  countries: ['ES'],
  loan_amount: { ...loanAmountBounds },
  loan_term_months: { ...loanTermBounds },
  occupations_excluded: ['unemployed'],
  // TEST-NET-1 (RFC 5737): no customer is there.
  fraud_ip_ranges: ['192.0.2.0/24'],
}

/** The products of a new tenant. */
export const defaultProducts = [
  { label: 'active', name: 'Personal loan', active: true },
  { label: 'inactive', name: 'Discontinued loan', active: false },
] as const

/** The blacklist of a new tenant: a document number that does not exist, so that real data can reach `blacklisted`. */
export const defaultBlacklist: readonly BlacklistEntry[] = [{ identification_number: 'BLACKLISTED-1' }]
