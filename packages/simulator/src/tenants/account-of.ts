import type { Account } from '@lead-distribution/engine'
import type { Urls } from '../pages/urls.ts'
import type { TenantRecord } from './tenant-record.ts'
import { resolveTenantSettings, type TenantSettings } from './tenant-settings.ts'

/** An account as the engine sees it, with what the sandbox adds to its settings. */
export interface TenantAccount extends Account {
  settings: TenantSettings
}

/** The account of a tenant. */
export function accountOf(record: TenantRecord, urls: Urls): TenantAccount {
  const { publisher, advertisers, products, blacklist } = record
  return {
    publisher: { ...publisher, callback_url: publisher.callback_url ?? urls.sink(record.tenant) },
    advertisers,
    products,
    blacklist,
    settings: resolveTenantSettings(record.settings),
  }
}
