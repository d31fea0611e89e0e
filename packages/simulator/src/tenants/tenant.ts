import {
  type DeliveryPorts,
  deliverDue,
  type ReportPorts,
  type Storage,
  type SubmitLeadPorts,
} from '@lead-distribution/engine'
import { reportAsAdvertiser } from '../advertisers/report-as-advertiser.ts'
import { createSimulatedPanel } from '../advertisers/simulated-panel.ts'
import { createClosableEgress } from '../callbacks/closable-egress.ts'
import { createInbox, type Inbox } from '../callbacks/inbox.ts'
import { createInboxEgress } from '../callbacks/inbox-egress.ts'
import { createSignal, type Signal } from '../callbacks/signal.ts'
import { chanceKey } from '../chance/chance-words.ts'
import { deriveFrom } from '../chance/derive.ts'
import { createNumberedIds } from '../chance/numbered-ids.ts'
import { prefixOfSeededUuids } from '../chance/seeded-uuid.ts'
import { createTenantClock, type TenantClock } from '../clock/tenant-clock.ts'
import { createTimeControl, type TimeControl } from '../clock/time-control.ts'
import { coverageKey } from '../coverage/coverage-view.ts'
import { coveredBy } from '../coverage/covered-by.ts'
import { createFaults, type Faults } from '../faults/fault-book.ts'
import { createFaultyEgress } from '../faults/faulty-egress.ts'
import { createJournal, type Journal } from '../journal/journal.ts'
import { reportDue } from '../lifecycle/report-due.ts'
import { scheduleReports } from '../lifecycle/schedule-reports.ts'
import type { SandboxTables } from '../ports/sandbox-tables.ts'
import { playScenarios } from '../scenarios/play-scenarios.ts'
import { scenarioOfLead } from '../scenarios/scenario-of-lead.ts'
import { createDueWork, type DueWork } from '../scheduling/due-work.ts'
import { createGate, type Gate } from '../scheduling/gate.ts'
import { accountOf, type TenantAccount } from './account-of.ts'
import type { TenantRecord } from './tenant-record.ts'
import { readTenantState } from './tenant-state.ts'
import type { TenantWorld } from './tenant-world.ts'

/** A tenant at work. */
export interface Tenant {
  /** What is kept of it; replaced as a whole by a change. */
  record: TenantRecord
  /** The account as the engine sees it. */
  account: TenantAccount
  readonly storage: Storage<SandboxTables>
  readonly clock: TenantClock
  /** Whether a lead's id looks like one of this tenant's: few other tenants' ids do. */
  readonly mayHaveGiven: (leadId: string) => boolean
  readonly ports: SubmitLeadPorts<SandboxTables> & ReportPorts
  /** Callbacks and reports that fall due. */
  readonly work: DueWork
  readonly time: TimeControl
  readonly faults: Faults
  readonly journal: Journal
  readonly inbox: Inbox
  /** Raised when work was done. */
  readonly progress: Signal
  /** What every call of the service passes. */
  readonly gate: Gate
  /** Makes the tenant what `change` answers and how it then stands in the storage, while nothing else goes on. */
  putBack(change: () => Promise<TenantRecord>): Promise<void>
}

/** Sets a tenant to work from what is kept of it. Its numbering goes on where it stood. */
export async function openTenant(record: TenantRecord, world: TenantWorld): Promise<Tenant> {
  const { storage: all, realClock, timer, urls, onError, readLead, chanceSalt } = world
  const name = record.tenant
  const storage = all.of(name)
  const state = await readTenantState(all, record)
  const chance = await deriveFrom(`${record.seed}/${name}/chance${chanceSalt}`)
  const keyOf = async (label: string) => chanceKey(await chance.hex(label))
  const leadKey = await keyOf('leads')
  const leadPrefix = prefixOfSeededUuids(leadKey)
  const leadIds = createNumberedIds(leadKey, state.newest.lead_id)
  const callbackIds = createNumberedIds(await keyOf('callbacks'), state.newest.callback_id)

  const clock = createTenantClock(realClock, state.clock)
  const inbox = createInbox(storage, state.inbox)
  const progress = createSignal(timer)
  const gate = createGate()
  const faults = createFaults(state.faults, {
    chance: await keyOf('faults'),
    keep: book => storage.transact(tables => tables.writeDocument('faults', book)),
  })
  const journal = createJournal({
    storage,
    timer,
    limit: world.journalLimit,
    newest: state.newestRequest,
    coverage: state.coverage,
    coveredBy,
    onError,
  })
  const inboxEgress = createInboxEgress({ inbox, url: urls.sink(name), clock, outbound: world.outbound })
  const faultyEgress = createFaultyEgress(inboxEgress, faults, {
    async scenarioOf(leadId) {
      const lead = await storage.transact(tables => tables.findLead(leadId))
      return lead && scenarioOfLead(lead)
    },
    async isReordering(leadId) {
      const callbacks = await storage.transact(tables => tables.listCallbacks(leadId))
      return callbacks.some(({ held }) => held === 'reorder')
    },
  })

  const egress = createClosableEgress(faultyEgress)
  const onTried: DeliveryPorts['onTried'] = ({ state }, { attempts }) => {
    world.metrics.callbackTry(state === 'delivered' ? 'delivered' : 'failed')
    if (state !== 'pending') journal.cover(coverageKey('callback', state))
    if (attempts.length > 0) journal.cover(coverageKey('callback', 'retried'))
  }

  const work = createDueWork({
    clock,
    timer,
    onError,
    onDone: progress.raise,
    async runDue() {
      const report = (scheduled: Parameters<typeof reportAsAdvertiser>[3]) =>
        reportAsAdvertiser(tenant, urls, world.call, scheduled)
      const reported = await reportDue({ storage, clock, report })
      const delivery = { storage, clock, realClock, egress, onTried }
      return reported + (await deliverDue(delivery, tenant.account))
    },
    nextDue: () =>
      storage.transact(async tables => {
        const callback = (await tables.nextCallbackDue()) ?? Infinity
        const next = Math.min(callback, (await tables.nextReportDue()) ?? Infinity)
        return next === Infinity ? undefined : next
      }),
  })

  const tenant: Tenant = {
    record,
    account: accountOf(record, urls),
    storage,
    clock,
    mayHaveGiven: leadId => leadId.startsWith(leadPrefix),
    ports: {
      storage,
      clock,
      ids: { lead: leadIds.next, callback: callbackIds.next },
      panel: createSimulatedPanel(urls.lenderPage),
      readLead,
      orders: playScenarios,
      onLeadKept: async (lead, tables) => {
        const { lifecycle } = tenant.account.settings
        if (lifecycle.length > 0) await scheduleReports(lead, lifecycle, tables)
      },
      onCallbackDue: work.wake,
    },
    work,
    time: createTimeControl({
      clock,
      realNow: () => realClock.now(),
      work,
      keep: state => storage.transact(tables => tables.writeDocument('clock', state)),
    }),
    faults,
    journal,
    inbox,
    progress,
    gate,
    async putBack(change) {
      const putBack = async () => {
        await journal.flush()
        const record = await change()
        const state = await readTenantState(all, record)
        tenant.record = record
        tenant.account = accountOf(record, urls)
        leadIds.put(state.newest.lead_id)
        callbackIds.put(state.newest.callback_id)
        clock.put(state.clock)
        faults.put(state.faults)
        inbox.put(state.inbox)
        journal.put(state.newestRequest, state.coverage)
      }
      // In this order: who moves the clock waits for work, work for its callbacks and for calls that it makes.
      await egress.closedWhile(() => tenant.time.hold(() => work.pause(() => gate.alone(putBack))))
    },
  }
  return tenant
}
