import {
  type AdvertiserCriteria,
  advertiserCriteria,
  defaultsOf,
  type ProductCriteria,
  productCriteria,
} from '@lead-distribution/contract'
import { type Account, type Reading, resolveSettings, type Settings, settingsShape } from '@lead-distribution/engine'
import * as z from 'zod/mini'
import { lifecycle } from '../advertisers/advertiser-network.ts'
import { takingInbox } from '../callbacks/inbox.ts'
import { noFaults } from '../effects/faults.ts'
import type { NewestIds, TenantDocuments } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-storage.ts'
import type {
  AdvertiserRecord,
  SandboxSettings,
  TenantRecord,
  TenantSettingsOverrides,
} from '../storage/tenant-record.ts'
import type { ClockState } from '../time/clock.ts'
import type { Urls } from '../urls.ts'

/** Every setting of a tenant: open points, reports of its simulated advertiser, bodies in its journal. */
export const tenantSettings = z.extend(settingsShape, { lifecycle, journal_bodies: z.enum(['masked', 'off']) })

export type TenantSettings = Settings & {
  [Name in keyof SandboxSettings]-?: NonNullable<SandboxSettings[Name]>
}

/** Resolves a tenant's settings: its own, and its profile for the rest. */
export function resolveTenantSettings(own: TenantSettingsOverrides): TenantSettings {
  const { lifecycle = [], journal_bodies = 'off', ...overrides } = own
  return { ...resolveSettings(overrides), lifecycle, journal_bodies }
}

/** An account as the engine sees it, with what the sandbox adds to its settings. */
export interface TenantAccount extends Account {
  advertisers: readonly AdvertiserRecord[]
  settings: TenantSettings
}

/** Returns the callback URL of a tenant: its own, or that of its inbox. */
export function callbackUrlOf({ tenant, publisher }: TenantRecord, urls: Urls): string {
  return publisher.callback_url ?? urls.inbox(tenant)
}

/** Returns the account of a tenant. While it has a listener, its callbacks are those for the receiver of that. */
export function accountOf(record: TenantRecord, urls: Urls): TenantAccount {
  const { publisher, advertisers, products, blacklist, listener } = record
  return {
    publisher: { ...publisher, callback_url: listener?.forward_to ?? callbackUrlOf(record, urls) },
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

/** Returns a tenant that was just created or reset: nothing else is stored of it. */
export function newTenant(record: TenantRecord): StoredTenant {
  const newest = { lead_id: undefined, callback_id: undefined }
  return { record, state: { newest, newestRequest: 0, ...documentsOf(record, {}) } }
}

/** Reads the state of a tenant. `check` throws if a document cannot be read. */
export async function readTenant(
  record: TenantRecord,
  tables: Reading<SandboxTables>,
  check = (written: Partial<TenantDocuments>) => written,
): Promise<StoredTenant> {
  const documents = documentsOf(record, check(await tables.readDocuments()))
  const ids = await tables.newestIds()
  const newestRequest = (await tables.readRequests())[0]?.number ?? 0
  // Ids and numbers of records that were deleted for their age are not given again.
  const last = documents.ages.at(-1)
  const newest = {
    lead_id: later(ids.lead_id, last?.newest.lead_id),
    callback_id: later(ids.callback_id, last?.newest.callback_id),
  }
  const state = { newest, newestRequest: Math.max(newestRequest, last?.newestRequest ?? 0), ...documents }
  return { record, state }
}

/** Returns the later of two ids, which grow. */
function later(one: string | undefined, other: string | undefined): string | undefined {
  return one === undefined || (other !== undefined && other > one) ? other : one
}

/** Returns all documents of a tenant, the initial ones where none was written. */
export function documentsOf(record: TenantRecord, written: Partial<TenantDocuments>): TenantDocuments {
  return { clock: initialClock(record), faults: noFaults, inbox: takingInbox, ages: [], ...written }
}

/** Returns the state of a clock that was never changed. */
function initialClock({ made }: Pick<TenantRecord, 'made'>): ClockState {
  const frozenAt = made?.frozen_at
  return frozenAt === undefined ? { mode: 'running', ahead_ms: 0 } : { mode: 'frozen', now: frozenAt }
}

/** The criteria of an advertiser that names none. */
export const defaultAdvertiserCriteria = defaultsOf(advertiserCriteria)

/** The criteria of a product that names none. */
export const defaultProductCriteria = defaultsOf(productCriteria)

/** Returns the products and advertisers of an account, with defaults for criteria that are newer than the account. */
export function withDefaultCriteria<
  Stored extends {
    readonly products: readonly { readonly criteria: Partial<ProductCriteria> }[]
    readonly advertisers: readonly { readonly criteria: Partial<AdvertiserCriteria> }[]
  },
>({ products, advertisers }: Stored) {
  return {
    products: products.map((each: Stored['products'][number]) => ({
      ...each,
      criteria: { ...defaultsOf(productCriteria), ...each.criteria },
    })),
    advertisers: advertisers.map((each: Stored['advertisers'][number]) => ({
      ...each,
      criteria: { ...defaultsOf(advertiserCriteria), ...each.criteria },
    })),
  }
}
