import { isSameUuid } from '@lead-distribution/engine'
import type { AdvertiserRecord, TenantRecord } from '../storage/tenant-record.ts'
import { type CredentialSeed, createApiKey, createSecret } from './create-tenant.ts'

/** The part of an account besides its identity, which a test changes and a snapshot brings back. */
export interface AccountContent extends Pick<TenantRecord, 'products' | 'blacklist' | 'settings' | 'callbacks_held'> {
  readonly publisher: Pick<TenantRecord['publisher'], 'callback_url'>
  readonly advertisers: readonly Omit<AdvertiserRecord, keyof AdvertiserCredentials>[]
}

type AdvertiserCredentials = Pick<AdvertiserRecord, 'api_key' | 'postback_secret'>

/** The key and the secret of an advertiser that is added to a tenant. */
export async function createCredentials(seed: CredentialSeed, advertiserId: string): Promise<AdvertiserCredentials> {
  return {
    api_key: await createApiKey(seed, 'adv', `advertiser ${advertiserId}`),
    postback_secret: await createSecret(seed, `postback ${advertiserId}`),
  }
}

/**
 * The account of a snapshot with the identity of the tenant that gets it: name, seed, keys, secrets, tokens and what it was
 * created with are those that the tenant has now. An advertiser that it has no more gets what adding it gave.
 */
export async function withIdentityOf(own: TenantRecord, content: AccountContent): Promise<TenantRecord> {
  const advertisers = content.advertisers.map(async advertiser => {
    const current = own.advertisers.find(other => isSameUuid(other.advertiser_id, advertiser.advertiser_id))
    const { api_key, postback_secret } = current ?? (await createCredentials(own, advertiser.advertiser_id))
    return { ...advertiser, api_key, postback_secret }
  })
  const { products, blacklist, settings, callbacks_held } = content
  return {
    ...own,
    publisher: { ...own.publisher, callback_url: content.publisher.callback_url },
    advertisers: await Promise.all(advertisers),
    products,
    blacklist,
    settings,
    callbacks_held,
  }
}
