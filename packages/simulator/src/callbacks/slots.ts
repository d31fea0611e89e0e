import type { Timer } from '../time/clock.ts'

export interface SlotLimits {
  /** The maximum number of attempts in flight, across all tenants. */
  readonly maxTotal: number
  /** The maximum number of attempts in flight to one host and port. */
  readonly maxPerHost: number
  /** The number of consecutive attempts without a response after which a host is paused. */
  readonly maxUnanswered: number
  /** How long a host is paused, in milliseconds of real time. */
  readonly restMs: number
  /** The maximum number of hosts for which failures are counted. */
  readonly maxHosts: number
}

/**
 * A single tenant gets 64 slots. At 128 attempts a second, a dead host cost a seventh of the throughput of `POST /lead`.
 */
const defaultLimits: SlotLimits = {
  maxTotal: 256,
  maxPerHost: 128,
  maxUnanswered: 64,
  restMs: 2_000,
  maxHosts: 1_000,
}

/** The slots that bound the attempts in flight of all tenants. */
export interface CallbackSlots {
  /** Returns one tenant's view of the slots. Calls `onFree` when slots that the tenant waits for become free. */
  of(onFree: () => void): TenantSlots
}

export interface TenantSlots {
  /** Takes slots for a host and returns the number taken: at most as many as it leaves free, for other receivers. */
  take(host: string): number
  /** Calls `onFree` when slots for the host become free. */
  wait(host: string): void
  /** Releases unused slots. */
  giveBack(host: string, count: number): void
  /** Releases the slot of a finished attempt, with or without a response. */
  end(host: string, responded: boolean): void
}

interface Host {
  taken: number
  unanswered: number
  resting: boolean
}

export function createCallbackSlots(timer: Timer, limits = defaultLimits): CallbackSlots {
  const hosts = new Map<string, Host>()
  const waiting = new Map<object, { isFree: () => boolean; onFree: () => void }>()
  let taken = 0

  const hostOf = (name: string): Host => hosts.get(name) ?? { taken: 0, unanswered: 0, resting: false }

  function free(name: string, own: number): number {
    const host = hostOf(name)
    const left = Math.min(limits.maxPerHost - host.taken, limits.maxTotal - taken)
    return host.resting ? 0 : Math.max(0, Math.ceil((left - own) / 2))
  }

  function change(name: string, changed: Partial<Host>): void {
    const host = { ...hostOf(name), ...changed }
    taken += host.taken - hostOf(name).taken
    // Keeps the most recently changed host at the end.
    hosts.delete(name)
    if (host.taken > 0 || host.unanswered > 0 || host.resting) hosts.set(name, host)
    if (hosts.size > limits.maxHosts) forgetIdle()
  }

  function forgetIdle(): void {
    for (const [name, { taken, resting }] of hosts) if (taken === 0 && !resting) return void hosts.delete(name)
  }

  function wakeWaiting(): void {
    for (const [tenant, { isFree, onFree }] of waiting) {
      if (!isFree()) continue
      waiting.delete(tenant)
      onFree()
    }
  }

  function rest(name: string): void {
    change(name, { resting: true })
    timer.after(limits.restMs, () => {
      change(name, { resting: false, unanswered: 0 })
      wakeWaiting()
    })
  }

  return {
    of(onFree) {
      const tenant = {}
      let own = 0
      return {
        take(host) {
          const count = free(host, own)
          own += count
          change(host, { taken: hostOf(host).taken + count })
          return count
        },
        wait: host => void waiting.set(tenant, { isFree: () => free(host, own) > 0, onFree }),
        giveBack(host, count) {
          if (count === 0) return
          own -= count
          change(host, { taken: hostOf(host).taken - count })
          wakeWaiting()
        },
        end(host, responded) {
          const { unanswered, resting } = hostOf(host)
          const consecutive = responded ? 0 : unanswered + 1
          change(host, { unanswered: consecutive })
          if (consecutive >= limits.maxUnanswered && !resting) rest(host)
          this.giveBack(host, 1)
        },
      }
    },
  }
}
