import type { SettingsOverrides, Storage } from '@lead-distribution/engine'
import { createDelivery, type Delivery } from '../callbacks/delivery.ts'
import { createDeliverySlots } from '../callbacks/delivery-slots.ts'
import { createFaultStore, noFaults } from '../faults/fault-store.ts'
import type { CallbackRequest, CallbackResponse } from '../never-distribute/guarded-egress.ts'
import { createUrls } from '../paths.ts'
import { type HandMadeTime, handMadeTime, noon } from '../ports.fixture.ts'
import { createMemoryStorage } from '../storage/memory-storage.ts'
import type { ScheduledReport } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-storage.ts'
import { createStoredDocument } from '../storage/stored-document.ts'
import { type ClockState, createTenantClock } from '../time/clock.ts'
import { createScheduler } from '../time/scheduler.ts'
import { createTimeControl } from '../time/time-control.ts'
import { createTenant } from './create-tenant.ts'
import { createDueJobs } from './due-jobs.ts'
import { accountOf, resolveTenantSettings } from './tenant-account.ts'

/** A process: its storage, its time, its slots. `setBack` sets the machine's clock back, and nothing else. */
export function openProcess(storage = createMemoryStorage(), time = handMadeTime()) {
  let back = 0
  return {
    storage,
    time,
    slots: createDeliverySlots(time.timer),
    realClock: { now: () => time.clock.now() - back },
    setBack(ms: number) {
      back += ms
    },
  }
}

/** How a receiver answers; undefined where it does not: then the try ends after its time-out. */
export type ReceiverResponse = (lead: string, nth: number) => CallbackResponse | undefined

/** How a tenant differs from the usual one. */
export interface TenantOptions {
  readonly answer?: ReceiverResponse
  readonly mode?: ClockState['mode']
  readonly settings?: SettingsOverrides
  readonly url?: string
  readonly report?: (report: ScheduledReport) => Promise<unknown>
  readonly isHeld?: () => boolean
  /** Whether no transaction can begin. */
  readonly isGone?: () => boolean
  /** In place of a try to deliver. */
  readonly attempt?: Delivery['attempt']
}

/** A receiver by hand: the leads of what was sent to it, and how much was in flight. */
function receiverByHand(answer: ReceiverResponse, time: HandMadeTime) {
  const sent: string[] = []
  let inFlight = 0
  const most = { inFlight: 0, transactions: 0 }
  const egress = {
    send: ({ url, timeoutMs }: CallbackRequest) =>
      new Promise<CallbackResponse>(resolve => {
        const lead = new URL(url).searchParams.get('lead_id') ?? ''
        const end = (response: CallbackResponse) => {
          inFlight -= 1
          resolve(response)
        }
        inFlight += 1
        most.inFlight = Math.max(most.inFlight, inFlight)
        const response = answer(lead, sent.push(lead))
        if (response) setImmediate(end, response)
        else time.timer.after(timeoutMs, () => end({ error: 'no reply' }))
      }),
  }
  return { sent, most, egress }
}

/** A tenant that delivers by itself, to a receiver by hand. */
export async function openTenant(process: ReturnType<typeof openProcess>, name: string, options: TenantOptions = {}) {
  const { storage, time, realClock } = process
  const {
    answer = () => ({ status: 200 }),
    mode = 'running',
    settings = {},
    url = `http://127.0.0.1:1/${name}`,
  } = options
  const record = await createTenant({ tenant: name, seed: '1', created_at: noon, settings: {} })
  await storage.addTenant(record)
  const clock = createTenantClock(
    realClock,
    mode === 'frozen' ? { mode, now: noon } : { mode, ahead_ms: 0 },
    time.clock,
  )
  const { publisher, ...account } = accountOf(record, createUrls('http://127.0.0.1:1', '/api/v1'))
  const { sent, most, egress } = receiverByHand(answer, time)
  const tables = storage.of(name)
  const counted: typeof tables = {
    async transact(work) {
      most.transactions += 1
      if (options.isGone?.()) throw new Error('The tenant is gone.')
      // As a storage that commits together what comes in during one turn of the event loop.
      await new Promise(resolve => setImmediate(resolve))
      return tables.transact(work)
    },
  }
  const current = () => ({
    ...account,
    publisher: { ...publisher, callback_url: url },
    settings: resolveTenantSettings(settings),
  })
  const stored = createStoredDocument(tables, 'faults', { initial: noFaults, unwritten: noFaults })
  const faults = createFaultStore(stored, [1, 2, 3, 4])
  const delivery = createDelivery({
    storage: counted,
    clock,
    steadyClock: time.clock,
    egress,
    faults,
    account: current,
    isHeld: options.isHeld ?? (() => false),
    onAttempt: () => undefined,
  })
  const wake = () => scheduler.wake()
  const errors: unknown[] = []
  const jobs = createDueJobs({
    storage: counted,
    clock,
    slots: process.slots.of(wake),
    onEnded: wake,
    onDone: () => undefined,
    delivery: { ...delivery, attempt: options.attempt ?? delivery.attempt },
    retries: () => current().settings.callback_retries,
    report: options.report ?? (async () => undefined),
  })
  const scheduler = createScheduler({ jobs, clock, timer: time.timer, onError: error => void errors.push(error) })
  const store = async () => undefined
  const control = createTimeControl({ clock, realNow: realClock.now, scheduler, store })
  return {
    sent,
    most,
    scheduler,
    control,
    clock,
    faults,
    tables,
    errors,
    ...callbacksOf(tables),
  }
}

/** Adds callbacks and reports their states. */
function callbacksOf(tables: Storage<SandboxTables>) {
  return {
    /** Adds a callback for each lead, due at a time. */
    add: (leads: readonly string[], due_at = noon) =>
      tables.transact(async tables => {
        for (const lead_id of leads) {
          const callback_id = `${lead_id}-${(await tables.listCallbacks(lead_id)).length}`
          const url = 'http://127.0.0.1:1/'
          await tables.addCallback({
            callback_id,
            lead_id,
            event: 'approved',
            url,
            state: 'pending',
            attempts: [],
            due_at,
          })
        }
      }),
    states: async (lead: string) =>
      (await tables.transact(tables => tables.listCallbacks(lead))).map(
        ({ state, attempts }) => `${state} ${attempts.length}`,
      ),
    pending: () => tables.transact(tables => tables.countPendingCallbacks()),
  }
}

/** Ids of so many leads. */
export const leads = (count: number, name = 'lead') => Array.from({ length: count }, (_, nth) => `${name}-${nth}`)
