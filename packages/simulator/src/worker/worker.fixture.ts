import type { SettingsChange } from '@lead-distribution/contract'
import { createLeadReader, createTokenReader, type Storage } from '@lead-distribution/engine'
import { createCallbackSlots } from '../callbacks/slots.ts'
import type { CallbackRequest, CallbackResponse, RequestEgress } from '../egress/guarded-egress.ts'
import { createMetrics } from '../journal/metrics.ts'
import { type ManualTime, manualTime, noon } from '../ports.fixture.ts'
import { createMemoryStorage } from '../storage/memory-storage.ts'
import { overridden } from '../storage/overridden-tables.fixture.ts'
import type { SandboxTables } from '../storage/sandbox-tables.ts'
import { createEventStreams } from '../stream/event-streams.ts'
import { newTenant } from '../tenants/account.ts'
import { createTenant } from '../tenants/create-tenant.ts'
import * as runtime from '../tenants/runtime.ts'
import type { ClockState } from '../time/clock.ts'
import { createUrls } from '../urls.ts'

/** A process with its storage, time and slots. `setBack` sets back only the machine's clock. */
export function openProcess(storage = createMemoryStorage(), time = manualTime()) {
  let back = 0
  return {
    storage,
    time,
    slots: createCallbackSlots(time.timer),
    realClock: { now: () => time.clock.now() - back },
    setBack(ms: number) {
      back += ms
    },
  }
}

/** A receiver's response; undefined to let the attempt time out. */
export type ReceiverResponse = (lead: string, nth: number) => CallbackResponse | undefined

/** The differences from the default tenant. */
export interface TenantOptions {
  readonly respond?: ReceiverResponse
  readonly isFrozen?: boolean
  readonly settings?: SettingsChange
  readonly url?: string
  /** Called with each call by a simulated advertiser. */
  readonly call?: runtime.TenantDependencies['call']
  /** Returns true if no transaction can begin. */
  readonly isGone?: () => boolean
  /** Called after each transaction. */
  readonly onTransacted?: () => Promise<void>
  /** Called with each clock state stored, inside its transaction. */
  readonly onClockStored?: (state: ClockState) => Promise<void>
  /** Replaces the egress to the manual receiver. */
  readonly egress?: RequestEgress<CallbackRequest>
}

/** A manual receiver. Records the leads of received callbacks, and the number in flight. */
function manualReceiver(respond: ReceiverResponse, time: ManualTime) {
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
        const response = respond(lead, sent.push(lead))
        if (response) setImmediate(end, response)
        else time.timer.after(timeoutMs, () => end({ error: 'no response' }))
      }),
  }
  return { sent, most, egress }
}

/** A tenant with a worker that delivers to a manual receiver. */
export async function openTenant(process: ReturnType<typeof openProcess>, name: string, options: TenantOptions = {}) {
  const { storage, time, realClock, slots } = process
  const { respond = () => ({ status: 200 }), settings = {}, url = `http://127.0.0.1:1/${name}` } = options
  const record = await createTenant({
    tenant: name,
    seed: '1',
    created_at: noon,
    settings,
    callback_url: url,
    frozen_at: options.isFrozen ? noon : undefined,
  })
  await storage.addTenant(record)
  const { sent, most, egress } = manualReceiver(respond, time)
  const tables = storage.of(name)
  const counted: typeof tables = {
    ...tables,
    async transact(work) {
      most.transactions += 1
      if (options.isGone?.()) throw new Error('The tenant is gone.')
      // Behaves like a storage with group commit per turn of the event loop.
      await new Promise(resolve => setImmediate(resolve))
      const result = await tables.transact(tables =>
        work(
          overridden(tables, {
            async writeDocument(name, value) {
              if (name === 'clock') await options.onClockStored?.(value as ClockState)
              await tables.writeDocument(name, value)
            },
          }),
        ),
      )
      await options.onTransacted?.()
      return result
    },
  }
  const errors: unknown[] = []
  const tenant = await runtime.openTenant(newTenant(record), {
    storage: { ...storage, of: () => counted },
    realClock,
    steadyClock: time.clock,
    monotonic: time.clock.now,
    timer: time.timer,
    waitTimer: time.timer,
    urls: createUrls('http://127.0.0.1:4010', '/api/v1'),
    mayKeepFull: false,
    readLead: createLeadReader(),
    readToken: createTokenReader(),
    outbound: () => options.egress ?? egress,
    backends: () => ({ send: async () => ({ error: 'no egress in this test' }) }),
    slots,
    call: options.call ?? (async () => undefined),
    randomSalt: '',
    journalLimit: 10,
    metrics: createMetrics({ version: '0', scheme: 'http' }),
    onExpiry: () => undefined,
    changeTenant: async () => ({ issues: [] }),
    events: createEventStreams({ timer: time.timer, clock: time.clock, show: () => ({}) }),
    onError: error => void errors.push(error),
  })
  // As at startup: a callback left by the last process can only be waiting for a time before the clock was set back.
  await tenant.worker.settle()
  return {
    ...tenant,
    /** Puts callbacks on hold, or releases them. */
    hold(callbacks_held: boolean) {
      tenant.record = { ...tenant.record, callbacks_held }
    },
    sent,
    most,
    tables,
    errors,
    ...callbacksOf(tables),
  }
}

/** Adds callbacks and returns their states. */
function callbacksOf(tables: Storage<SandboxTables>) {
  return {
    /** Adds a callback for each lead, due at the given time. */
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

/** Returns the given number of lead ids. */
export const leads = (count: number, name = 'lead') => Array.from({ length: count }, (_, nth) => `${name}-${nth}`)
