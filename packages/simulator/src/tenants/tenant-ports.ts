import type { OperationPorts, ReportPorts, SubmitPorts } from '@lead-distribution/engine'
import { createAdvertiserNetwork, scheduleReports } from '../advertisers/advertiser-network.ts'
import type { Urls } from '../paths.ts'
import { createSeededIds, deriveFrom, randomKey, type SeededIds } from '../random/seeded-random.ts'
import type { NewestIds } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-storage.ts'
import type { TenantRecord } from '../storage/tenant-record.ts'
import type { Scheduler } from '../time/scheduler.ts'
import type { TenantAccount } from './tenant-account.ts'
import type { TenantSharing } from './tenant-sharing.ts'

/** What the engine works on for a tenant. */
export type EnginePorts = SubmitPorts<SandboxTables> & ReportPorts

/** The ports for one call of the service, with an id for what it adds. */
export type PortsFor = (added: 'lead' | 'callback') => Promise<EnginePorts> | EnginePorts

/** The ids of what the calls of a tenant add. */
export interface CallIds {
  readonly lead: SeededIds
  readonly callback: SeededIds
}

/** The ids of a tenant, from after the newest that are stored. */
export function createCallIds(
  { leads, callbacks }: Awaited<ReturnType<typeof randomKeys>>,
  { lead_id, callback_id }: NewestIds,
): CallIds {
  return { lead: createSeededIds(leads, lead_id), callback: createSeededIds(callbacks, callback_id) }
}

/** The ports of a tenant. */
export function createEnginePorts(
  { storage, clock, ids }: Omit<OperationPorts<SandboxTables>, 'ids'> & { readonly ids: CallIds },
  { urls, readLead, readToken }: Pick<EnginePorts, 'readLead' | 'readToken'> & { readonly urls: Urls },
  account: () => TenantAccount,
  scheduler: Scheduler,
): EnginePorts {
  return {
    storage,
    clock,
    ids: { lead: ids.lead.next, callback: ids.callback.next },
    network: createAdvertiserNetwork(urls.advertiserPage),
    readLead,
    readToken,
    async onLeadStored(lead, tables) {
      const { lifecycle } = account().settings
      if (lifecycle.length > 0) await scheduleReports(lead, lifecycle, tables)
    },
    onCallbackDue: scheduler.wake,
  }
}

/** The ports for each call. Where processes share the tenant, its id is reserved before its transaction. */
export function createPortsFor(ports: EnginePorts, ids: CallIds, sharing: TenantSharing | undefined): PortsFor {
  if (!sharing) return () => ports
  const reserved = {
    lead: sharing.numbers('leads', ids.lead.following),
    callback: sharing.numbers('callbacks', ids.callback.following),
  }
  return async added => {
    // One id for one call: a transaction that runs again has added nothing yet.
    const id = ids[added].at(await reserved[added]())
    return { ...ports, ids: { ...ports.ids, [added]: () => id } }
  }
}

/** The keys that a tenant's ids and random numbers are drawn from, one for each use. */
export async function randomKeys({ seed, tenant }: TenantRecord, salt: string) {
  // The label is older than its name here: another one would renumber the leads of every stored tenant.
  const derived = await deriveFrom(`${seed}/${tenant}/chance${salt}`)
  const keyOf = async (label: string) => randomKey(await derived.hex(label))
  return { leads: await keyOf('leads'), callbacks: await keyOf('callbacks'), faults: await keyOf('faults') }
}
