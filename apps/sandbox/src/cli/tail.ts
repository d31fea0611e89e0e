import { setTimeout } from 'node:timers/promises'
import type { SandboxEvent, TenantControl } from '@lead-distribution/control-client'
import { bounds } from '@lead-distribution/simulator/bounds'
import { isTransient, reconnects } from './connection.ts'
import { onOff } from './flags.ts'

/** The flags of a tail. */
export const followFlags = {
  follow: onOff('also follow when the output is a pipe; by default, it prints and exits'),
  noFollow: onOff('print the entries so far, and exit'),
}

/** The entries of a tail, and how to print them. */
interface Tailed<Entry> {
  /** Returns the newest entries, newest first. */
  readonly list: (limit: number) => Promise<readonly Entry[]>
  /** Returns an event's entry, if it has one that matches. */
  readonly entryOf: (event: SandboxEvent) => Entry | undefined
  /** Returns an entry's id and state. Each combination is printed once. */
  readonly keyOf: (entry: Entry) => string
  readonly print: (entry: Entry) => void
}

/**
 * Prints the newest entries, oldest first. If it follows, then prints those from the tenant's event stream until
 * Ctrl-C, which counts as success. If events were dropped, reads the list again.
 */
export async function tail<Entry>(
  tenant: TenantControl,
  { list, entryOf, keyOf, print }: Tailed<Entry>,
  { first, follow = process.stdout.isTTY === true }: { first: number; follow: boolean | undefined },
): Promise<void> {
  if (!follow) return (await list(first)).toReversed().forEach(print)
  const printed = new RecentKeys()
  const printNew = (entry: Entry) => {
    if (printed.add(keyOf(entry))) print(entry)
  }
  await followEvents(tenant, async (event, isResumed) => {
    if (event.type === 'reset' || (event.type === 'ready' && !isResumed)) {
      const entries = await list(bounds.limit.max)
      // Entries before the first printed ones count as printed.
      if (!isResumed) for (const earlier of entries.slice(first)) printed.add(keyOf(earlier))
      entries.toReversed().forEach(printNew)
    } else if (event.type === 'tenant' && event.change === 'restored') printed.clear()
    const entry = entryOf(event)
    if (entry) printNew(entry)
  })
}

/** The keys of the latest printed entries: those of the newest list, and as many from events. */
class RecentKeys {
  readonly #keys = new Set<string>()

  /** Returns false if the key has been added before. */
  add(key: string): boolean {
    if (this.#keys.has(key)) return false
    this.#keys.add(key)
    const [oldest = ''] = this.#keys
    if (this.#keys.size > 2 * bounds.limit.max) this.#keys.delete(oldest)
    return true
  }

  /** Clears all keys, because a tenant that is reset or restored reuses its ids. */
  clear(): void {
    this.#keys.clear()
  }
}

/**
 * Reads a tenant's events until Ctrl-C, reconnecting as needed and resuming after the last event.
 * @throws ControlError the sandbox refuses the stream, or stays unreachable.
 */
async function followEvents(
  tenant: TenantControl,
  onEvent: (event: SandboxEvent, isResumed: boolean) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const { signal } = stop
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())
  let lastEventId: string | undefined
  for (let failures = 0; !signal.aborted; ) {
    const isResumed = lastEventId !== undefined
    try {
      // Dead connections end too: the sandbox sends heartbeats, and Node's fetch times out after 300 s without data.
      for await (const event of tenant.events({ signal, lastEventId })) {
        await onEvent(event, isResumed)
        lastEventId = event.id ?? lastEventId
        failures = 0
      }
    } catch (error) {
      if (signal.aborted) return
      if (lastEventId === undefined || !isTransient(error) || ++failures > reconnects.times) throw error
    }
    await setTimeout(reconnects.pauseMs, undefined, { signal }).catch(() => undefined)
  }
}
