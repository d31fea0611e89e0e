import { type Account, resolveSettings, type Settings, settingsShape } from '@lead-distribution/engine'
import * as z from 'zod/mini'
import { lifecycle } from '../advertisers/lifecycle.ts'
import type { Urls } from '../paths.ts'
import type { Lifecycle, TenantRecord, TenantSettingsOverrides } from '../storage/tenant-record.ts'

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
