import type { Urls } from '../../paths.ts'
import type { Tenant } from '../../tenants/tenant.ts'

/** An account as the control plane shows it, keys and secrets included: it is what its user integrates with. */
export function accountView({ record, account }: Pick<Tenant, 'record' | 'account'>, urls: Urls) {
  const { publisher, advertisers, products, blacklist } = record
  return {
    tenant: record.tenant,
    base_url: urls.base,
    publisher: { ...publisher, callback_url: account.publisher.callback_url },
    advertisers,
    products,
    blacklist,
    settings: account.settings,
  }
}
