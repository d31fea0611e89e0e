import { type Settings, toHex } from '@lead-distribution/contract'
import type { Clock } from '@lead-distribution/engine'
import type { Entropy } from '../random/seeded-random.ts'
import type { TenantRecord } from '../storage/tenant-record.ts'
import { createDemoTenant, createTenant, demoName, resetRecord } from './create-tenant.ts'
import type { TenantRegistry } from './registry.ts'
import { withOperatorDecisions } from './tenant-identity.ts'

export interface DemoOptions {
  /** True if other machines can reach the sandbox. */
  readonly shared: boolean
  /** True if the journal may record requests in full, which is then the default for new tenants. */
  readonly mayKeepFull: boolean
  readonly profile?: Settings['profile'] | undefined
  readonly entropy: Entropy
  readonly clock: Clock
}

/** Returns how a new tenant records bodies, if it records any. */
export function newTenantBodies({ mayKeepFull }: Pick<DemoOptions, 'mayKeepFull'>): Settings['journal_bodies'] {
  return mayKeepFull ? 'full' : 'masked'
}

/** Creates the demo tenant, or updates a stored one. On a shared host, its keys must not be the documented ones. */
export async function ensureDemo(registry: TenantRegistry, options: DemoOptions): Promise<void> {
  if (registry.broken.find(demoName)) return
  const settings = settingsOf(options)
  if (!registry.find(demoName)) {
    await registry.add(await createDemo(options))
    return
  }
  await registry.change(demoName, async stored => {
    const record = isOf(stored, options) ? stored : withOperatorDecisions(await createDemo(options), stored)
    const created_from = { ...record.created_from, settings: { ...record.created_from.settings, ...settings } }
    return { record: { ...record, settings: { ...record.settings, ...settings }, created_from } }
  })
}

/** Recreates the record of a broken demo tenant from its readable part. */
export async function remakeDemo(stored: TenantRecord | undefined, options: DemoOptions): Promise<TenantRecord> {
  if (stored && isOf(stored, options)) return resetRecord(stored)
  const demo = await createDemo(options)
  return stored ? withOperatorDecisions(demo, stored) : demo
}

/** Returns true if a demo tenant's keys are public or secret as the sandbox's current audience requires. */
const isOf = ({ seed }: TenantRecord, { shared }: DemoOptions) => (seed === demoName) !== shared

const settingsOf = ({ profile }: DemoOptions) => (profile === undefined ? {} : { profile })

async function createDemo(options: DemoOptions): Promise<TenantRecord> {
  const { shared, entropy, clock } = options
  const created_at = clock.now()
  const settings = { journal_bodies: newTenantBodies(options), ...settingsOf(options) }
  if (!shared) return createDemoTenant(created_at, { settings })
  return createTenant({ tenant: demoName, seed: toHex(entropy.bytes(16)), created_at, settings })
}
