import { toHex } from '@lead-distribution/contract'
import type { Clock, Settings } from '@lead-distribution/engine'
import type { Entropy } from '../random/seeded-random.ts'
import { administrationOf, createDemoTenant, createTenant, demoName } from './create-tenant.ts'
import type { TenantRegistry } from './tenant-registry.ts'

/** What the demo tenant is made with. */
export interface DemoOptions {
  /** Whether others than this machine may reach the sandbox. */
  readonly shared: boolean
  readonly profile?: Settings['profile'] | undefined
  readonly entropy: Entropy
  readonly clock: Clock
}

/** Creates the demo tenant, or brings a stored one up to date. On a shared host its keys must not be the documented ones. */
export async function ensureDemo(
  registry: TenantRegistry,
  { shared, profile, entropy, clock }: DemoOptions,
): Promise<void> {
  const settings = profile === undefined ? {} : { profile }
  const create = () =>
    shared
      ? createTenant({ tenant: demoName, seed: toHex(entropy.bytes(16)), created_at: clock.now(), settings })
      : createDemoTenant(clock.now(), settings)
  if (!registry.find(demoName)) {
    await registry.add(await create())
    return
  }
  await registry.change(demoName, async stored => {
    const isOther = (stored.seed === demoName) === shared
    const record = isOther ? { ...(await create()), ...administrationOf(stored) } : stored
    const made = record.made && { ...record.made, settings: { ...record.made.settings, ...settings } }
    return { record: { ...record, settings: { ...record.settings, ...settings }, made } }
  })
}
