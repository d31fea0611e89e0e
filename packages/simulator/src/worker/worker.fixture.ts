import type { SettingsChange } from '@lead-distribution/contract'
import { createLeadReader, createTokenReader, type Storage } from '@lead-distribution/engine'
import { createCallbackSlots } from '../callbacks/slots.ts'
import type { CallbackRequest, CallbackResponse, RequestEgress } from '../egress/guarded-egress.ts'
import { createMetrics } from '../journal/metrics.ts'
import { type HandMadeTime, handMadeTime, noon } from '../ports.fixture.ts'
import { createMemoryStorage } from '../storage/memory-storage.ts'
import { overridden } from '../storage/overridden-tables.fixture.ts'
import type { SandboxTables } from '../storage/sandbox-tables.ts'
import { createEventStreams } from '../stream/event-streams.ts'
import { newTenant } from '../tenants/account.ts'
import { createTenant } from '../tenants/create-tenant.ts'
import * as runtime from '../tenants/runtime.ts'
import type { ClockState } from '../time/clock.ts'
import { createUrls } from '../urls.ts'

/** A process: its storage, its time, its slots. `setBack` sets the machine's clock back, and nothing else. */
export function openProcess(storage = createMemoryStorage(), time = handMadeTime()) {
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

/** The response of a receiver; undefined if there is none: the attempt then times out. */
export type ReceiverResponse = (lead: string, nth: number) => CallbackResponse | undefined

/** The differences of a tenant from the usual one. */
export interface TenantOptions {
  readonly respond?: ReceiverResponse
  readonly isFrozen?: boolean
  readonly settings?: SettingsChange
  readonly url?: string
  /** Called with the calls of simulated advertisers. */
  readonly call?: runtime.TenantDependencies['call']
  /** Returns true if no transaction can begin. */
  readonly isGone?: () => boolean
  /** Called after each transaction. */
  readonly onTransacted?: () => Promise<void>
  /** Called with each state of the clock that is stored, in its transaction. */
  readonly onClockStored?: (state: ClockState) => Promise<void>
  /** The egress, instead of one to a receiver by hand. */
  readonly egress?: RequestEgress<CallbackRequest>
}

/** A receiver by hand: the leads of the callbacks that were sent to it, and how many were in flight. */
function receiverByHand(respond: ReceiverResponse, time: HandMadeTime) {
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

/** A tenant that delivers by itself, to a receiver by hand. */
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
  const { sent, most, egress } = receiverByHand(respond, time)
  const tables = storage.of(name)
  const counted: typeof tables = {
    ...tables,
    async transact(work) {
      most.transactions += 1
      if (options.isGone?.()) throw new Error('The tenant is gone.')
      // As a storage that commits together what comes in during one turn of the event loop.
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
    backends: () => ({ send: async () => ({ error: 'no way out' }) }),
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
  // As at each start: a callback that the last process left can wait for nothing but a time that was set back.
  await tenant.worker.settle()
  return {
    ...tenant,
    /** Holds the callbacks, or releases them. */
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
