import { setTimeout } from 'node:timers/promises'
import type { SandboxEvent, TenantControl } from '@lead-distribution/control-client'
import { bounds } from '@lead-distribution/simulator/bounds'
import { isTransient, reconnects } from './connection.ts'
import { onOff } from './flags.ts'

/** The flags of a tail. */
export const followFlags = {
  follow: onOff('also follow in a pipe, where the default is to print and exit'),
  noFollow: onOff('print the entries so far, and exit'),
}

/** The entries of a tail, and how they are printed. */
interface Tailed<Entry> {
  /** Returns the newest entries, newest first. */
  readonly list: (limit: number) => Promise<readonly Entry[]>
  /** Returns the entry of an event, if it has one that is wanted. */
  readonly entryOf: (event: SandboxEvent) => Entry | undefined
  /** Returns an entry's id and state: each is printed once. */
  readonly keyOf: (entry: Entry) => string
  readonly print: (entry: Entry) => void
}

/**
 * Prints the newest entries, oldest first; then, if it follows, those of the tenant's event stream until Ctrl-C, which is a
 * success. If events are missing, the list is read again.
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
      // Those before the first ones that are printed count as printed.
      if (!isResumed) for (const earlier of entries.slice(first)) printed.add(keyOf(earlier))
      entries.toReversed().forEach(printNew)
    } else if (event.type === 'tenant' && event.change === 'restored') printed.clear()
    const entry = entryOf(event)
    if (entry) printNew(entry)
  })
}

/** The keys of what was printed last: those of the newest list, and of as many events. */
class RecentKeys {
  readonly #keys = new Set<string>()

  /** Returns false if the key is known. */
  add(key: string): boolean {
    if (this.#keys.has(key)) return false
    this.#keys.add(key)
    const [oldest = ''] = this.#keys
    if (this.#keys.size > 2 * bounds.limit.max) this.#keys.delete(oldest)
    return true
  }

  /** Forgets all: a tenant that is reset or restored uses its ids again. */
  clear(): void {
    this.#keys.clear()
  }
}

/**
 * Reads the events of a tenant until Ctrl-C, over as many connections as it takes: each resumes after the last event.
 * @throws ControlError the sandbox refuses the stream, or does not come back.
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
      // A dead connection ends too: the sandbox sends a heartbeat, and Node's fetch waits for one at most 300 s.
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
