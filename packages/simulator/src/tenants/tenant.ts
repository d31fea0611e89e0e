import {
  type Account,
  type Clock,
  deliverDue,
  type Egress,
  type LeadReader,
  type ReportPorts,
  resolveSettings,
  type SubmitLeadPorts,
} from '@lead-distribution/engine'
import { createSimulatedPanel } from '../advertisers/simulated-panel.ts'
import { createDeliveryLoop, type DeliveryLoop } from '../callbacks/delivery-loop.ts'
import { createInboxEgress } from '../callbacks/inbox-egress.ts'
import { deriveFrom } from '../chance/derive.ts'
import { type ChanceKey, numberOfSeededUuid, prefixOfSeededUuids, seededUuid } from '../chance/seeded-uuid.ts'
import type { Urls } from '../pages/urls.ts'
import type { SandboxStorage } from '../ports/sandbox-storage.ts'
import type { Timer } from '../ports/timer.ts'
import type { TenantRecord } from './tenant-record.ts'

/** What every tenant needs of the world. */
export interface TenantWorld {
  readonly storage: SandboxStorage
  readonly realClock: Clock
  readonly timer: Timer
  readonly urls: Urls
  readonly readLead: LeadReader
  /** The way out for callbacks that do not go to a tenant's own inbox. */
  readonly outbound: Egress
  readonly onFault: (fault: unknown) => void
}

/** A tenant at work. */
export interface Tenant {
  /** What is kept of it; replaced as a whole by a change. */
  record: TenantRecord
  /** The account as the engine sees it. */
  account: Account
  readonly clock: Clock
  /** Whether a lead's id looks like one of this tenant's: few other tenants' ids do. */
  readonly mayHaveGiven: (leadId: string) => boolean
  readonly ports: SubmitLeadPorts & ReportPorts
  readonly loop: DeliveryLoop
}

/** Sets a tenant to work from what is kept of it. Its numbering goes on where it stood. */
export async function openTenant(record: TenantRecord, world: TenantWorld): Promise<Tenant> {
  const { storage, realClock, timer, urls, onFault } = world
  const name = record.tenant
  const memory = storage.of(name)
  const clock = realClock
  const egress = createInboxEgress({ ...world, tenant: name, clock })
  const newest = await storage.newestIds(name)
  const chance = await deriveFrom(`${record.seed}/${name}/chance`)
  const leadKey = chanceKey(await chance.hex('leads'))
  const callbackKey = chanceKey(await chance.hex('callbacks'))

  const tenant: Tenant = {
    record,
    account: accountOf(record, urls),
    clock,
    mayHaveGiven: leadId => leadId.startsWith(prefixOfSeededUuids(leadKey)),
    loop: createDeliveryLoop({
      deliverDue: () => deliverDue({ storage: memory, clock, realClock, egress }, tenant.account),
      nextDue: () => memory.transact(tables => tables.nextCallbackDue()),
      clock,
      timer,
      onFault,
    }),
    ports: {
      storage: memory,
      clock,
      ids: {
        lead: numbered(leadKey, newest.lead_id),
        callback: numbered(callbackKey, newest.callback_id),
      },
      panel: createSimulatedPanel(urls.lenderPage),
      readLead: world.readLead,
      onCallbackDue: () => tenant.loop.wake(),
    },
  }
  return tenant
}

/** The account of a tenant as the engine sees it. */
export function accountOf(record: TenantRecord, urls: Urls): Account {
  const { publisher, advertisers, products, blacklist } = record
  return {
    publisher: { ...publisher, callback_url: publisher.callback_url ?? urls.sink(record.tenant) },
    advertisers,
    products,
    blacklist,
    settings: resolveSettings(record.settings),
  }
}

/** The ids of a key, from behind the newest one on. */
function numbered(key: ChanceKey, newest: string | undefined): () => string {
  let next = newest === undefined ? 0 : numberOfSeededUuid(newest) + 1
  return () => seededUuid(key, next++)
}

function chanceKey(hex: string): ChanceKey {
  const word = (index: number) => Number.parseInt(hex.slice(8 * index, 8 * index + 8), 16)
  return [word(0), word(1), word(2), word(3)]
}
