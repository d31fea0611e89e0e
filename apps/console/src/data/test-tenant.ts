import type { Account } from '@lead-distribution/control-client'
import { decidingChange, decidingSettingsOf } from '@lead-distribution/simulator/initial-account'

/** The part of an account and its time that a test's own tenant needs to give the same response to a lead. */
export interface TestTenant extends ReturnType<typeof testTenantOf> {}

/** Returns the part of an account that decides on a lead, without keys and secrets. `at`: the account's time. */
export function testTenantOf(
  account: Pick<Account, 'products' | 'advertisers' | 'blacklist' | 'settings'>,
  at: string,
) {
  return {
    frozenAt: at,
    settings: decidingSettingsOf(account.settings),
    change: decidingChange(account),
    product_ids: account.products.map(({ product_id }) => product_id),
  }
}
