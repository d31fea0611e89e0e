import type { Clock, Storage } from '@lead-distribution/engine'
import type { CallbackResponse, HttpEgress } from '../egress/guarded-egress.ts'
import type { ForwardedCallback, ListenerState, ReportedResponse } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-tables.ts'
import { createStoredDocument } from '../storage/stored-document.ts'
import type { TenantRecord } from '../storage/tenant-record.ts'
import type { Timer } from '../time/clock.ts'
import type { Notifier } from '../time/locks.ts'

/**
 * The delivery of a tenant's callbacks through its listener, a program that forwards them to a receiver that only it can
 * reach.
 */
export interface Listener {
  /** Passes a callback to the listener and resolves to the response that it reports. */
  readonly egress: HttpEgress
  /** Returns the milliseconds left to respond to a callback. */
  leftMs(callback: ForwardedCallback): number
  /** Returns how many more callbacks the listener can accept now. */
  room(): number
  /** Returns false if the listener is gone, and then marks it as disconnected. */
  isReachable(): Promise<boolean>
  /** Waits for unclaimed callbacks; undefined if the sandbox is closing. Counts as a sign of life of the listener. */
  take(listenerId: string, gone?: AbortSignal): Promise<ForwardedCallback[] | undefined>
  /** Accepts a response. Returns false if no attempt is waiting for it anymore. */
  report(listenerId: string, deliveryId: string, response: ReportedResponse): Promise<boolean>
  /** Fails the attempts in flight of a listener that has ended. */
  end(listenerId: string): Promise<void>
}

export interface ListenerOptions {
  readonly storage: Storage<SandboxTables>
  /** The clock for leases. */
  readonly clock: Clock
  readonly timer: Timer
  /** Wakes waiters in this process. */
  readonly progress: Notifier
  /** Wakes waiters in every process. */
  readonly notify: () => void
  /** The listener of the tenant, if it has one. */
  readonly registered: () => TenantRecord['listener']
  /** Records that the listener connected or disconnected. */
  readonly setConnected: (listenerId: string, connected: boolean) => Promise<unknown>
  readonly onError: (error: unknown) => void
}

/** The maximum time that one call waits for callbacks, in milliseconds. */
const takeMs = 5_000

/** How long a listener counts as connected after its last call, in milliseconds. */
const seenMs = 3 * takeMs

/** The same after its call was cut off: a listener that is still running calls again at once. */
const cutOffMs = 2_000

/** The maximum number of callbacks in flight through a listener, in each process. */
const maxInFlight = 16

const nobody: ListenerState = { listener_id: '', seen_until: 0, count: 0, deliveries: [] }

const stopped: CallbackResponse = { error: 'the listener stopped before it reported a response' }

function responseOf({ status, error = 'no response' }: ReportedResponse): CallbackResponse {
  return status === undefined ? { error } : { status }
}

/**
 * Creates a tenant's listener. The callbacks in flight are one stored document that all processes share: the process that
 * sends a callback adds it, and any process can pass it to the listener or accept the response.
 */
export function createListener(options: ListenerOptions): Listener {
  const { storage, clock, timer, progress, notify, registered, setConnected, onError } = options
  const document = createStoredDocument(storage, 'listener', { initial: nobody, unwritten: nobody })
  let inFlight = 0

  const read = () => storage.read(async tables => (await tables.readDocuments()).listener ?? nobody)

  /**
   * Updates a listener's state. Drops the state and deliveries of an earlier listener, and deliveries that timed out long
   * ago.
   */
  function update<Result>(
    listener_id: string,
    change: (state: ListenerState) => { state: ListenerState; result: Result },
  ): Promise<Result> {
    return document.update(async stored => {
      const own = stored?.listener_id === listener_id ? stored : { ...nobody, listener_id }
      const current = { ...own, deliveries: own.deliveries.filter(({ ends_at }) => ends_at + cutOffMs > clock.now()) }
      const { state, result } = change(current)
      return { value: state, result }
    })
  }

  const isSeen = (state: ListenerState, listener_id: string) =>
    state.listener_id === listener_id && state.seen_until > clock.now()

  /** Marks a silent listener as disconnected, unless it calls again in time. */
  async function leave(listener_id: string): Promise<void> {
    await update(listener_id, state => {
      const seen_until = Math.min(state.seen_until, clock.now() + cutOffMs)
      return { state: { ...state, seen_until }, result: undefined }
    })
    await new Promise<void>(resolve => void timer.after(cutOffMs, resolve))
    if (registered()?.listener_id !== listener_id || isSeen(await read(), listener_id)) return
    await setConnected(listener_id, false)
    notify()
  }

  return {
    room: () => (registered() ? maxInFlight - inFlight : Number.POSITIVE_INFINITY),
    leftMs: ({ ends_at }) => Math.max(0, ends_at - clock.now()),
    async isReachable() {
      const { listener_id, connected } = registered() ?? {}
      if (listener_id === undefined || !connected || isSeen(await read(), listener_id)) return true
      // Not awaited: a tenant change may be waiting for the job that called this.
      setConnected(listener_id, false).catch(onError)
      return false
    },
    egress: {
      async send({ url, headers, timeoutMs, attempt = 1 }) {
        const { listener_id } = registered() ?? {}
        if (listener_id === undefined) return stopped
        const ends_at = clock.now() + timeoutMs
        inFlight += 1
        try {
          const id = await update(listener_id, state => {
            const count = state.count + 1
            const delivery_id = `${ends_at}-${count}`
            const deliveries = [...state.deliveries, { delivery_id, url, headers: { ...headers }, attempt, ends_at }]
            return { state: { ...state, count, deliveries }, result: delivery_id }
          })
          notify()
          const response = await progress.waitFor(async () => {
            const state = await read()
            const delivery = state.deliveries.find(({ delivery_id }) => delivery_id === id)
            if (delivery?.response) return responseOf(delivery.response)
            return delivery && isSeen(state, listener_id) ? undefined : stopped
          }, timeoutMs)
          await update(listener_id, state => {
            const deliveries = state.deliveries.filter(({ delivery_id }) => delivery_id !== id)
            return { state: { ...state, deliveries }, result: undefined }
          })
          return response ?? { error: `no response within ${timeoutMs} ms` }
        } finally {
          inFlight -= 1
        }
      },
    },
    async take(listener_id, gone) {
      const isWaiting = ({ taken, ends_at }: ForwardedCallback) => !taken && ends_at > clock.now()
      const takeWaiting = async () => {
        if (registered()?.listener_id !== listener_id) return []
        const now = clock.now()
        const known = await read()
        const isNew = known.listener_id !== listener_id || known.seen_until < now + seenMs / 2
        if (!isNew && !known.deliveries.some(isWaiting)) return undefined
        const taken = await update(listener_id, state => {
          const deliveries = state.deliveries.map(each => ({ ...each, taken: true }))
          return {
            state: { ...state, seen_until: now + seenMs, deliveries },
            result: state.deliveries.filter(isWaiting),
          }
        })
        if (!registered()?.connected) await setConnected(listener_id, true)
        return taken.length > 0 ? taken : undefined
      }
      const taken = await progress.waitFor(takeWaiting, takeMs, gone)
      if (gone?.aborted) leave(listener_id).catch(onError)
      return taken ?? (progress.hasEnded() ? undefined : [])
    },
    async report(listener_id, deliveryId, response) {
      const isAwaited = await update(listener_id, state => {
        const isThis = ({ delivery_id }: ForwardedCallback) => delivery_id === deliveryId
        const deliveries = state.deliveries.map(each => (isThis(each) ? { ...each, response } : each))
        return { state: { ...state, deliveries }, result: state.deliveries.some(isThis) }
      })
      notify()
      return isAwaited
    },
    async end(listener_id) {
      await update(listener_id, state => ({ state: { ...state, seen_until: 0, deliveries: [] }, result: undefined }))
      notify()
    },
  }
}
