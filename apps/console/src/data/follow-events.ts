import type { EventOptions, SandboxEvent } from '@lead-distribution/control-client'

/** The state of the stream: not connected yet, live, reconnecting, or refused for good. */
export type StreamState = 'connecting' | 'live' | 'reconnecting' | 'refused'

/** Options for following a stream. */
export interface FollowOptions {
  readonly open: (options: EventOptions) => AsyncIterable<SandboxEvent>
  readonly signal: AbortSignal
  /** The last event of an earlier connection. */
  readonly lastEventId?: string | undefined
  /** `resumed` is true if the connection continues after an earlier event. */
  readonly onEvent: (event: SandboxEvent, resumed: boolean) => void
  /** Called with `reconnecting` once for each connection that fails or ends. */
  readonly onState?: (state: StreamState) => void
  /** Returns true if retrying is pointless. */
  readonly isFinal: (error: unknown) => boolean
  readonly wait: (ms: number) => Promise<void>
}

/** Delays before reconnecting, in milliseconds. They restart after a successful connection. */
const waitsMs = [250, 500, 1_000, 2_000, 5_000]

/**
 * Follows a stream until the signal aborts, reconnecting as needed. Each connection continues after the last event of the
 * previous one. Resolves with the id of the last event.
 */
export async function followEvents(options: FollowOptions): Promise<string | undefined> {
  const { open, signal, onEvent, onState, isFinal, wait } = options
  let { lastEventId } = options
  for (let failures = 0; !signal.aborted; failures++) {
    const resumed = lastEventId !== undefined
    let error: unknown
    try {
      for await (const event of open({ signal, lastEventId })) {
        failures = 0
        lastEventId = event.id ?? lastEventId
        onState?.('live')
        onEvent(event, resumed)
      }
    } catch (thrown) {
      error = thrown
    }
    if (signal.aborted) break
    if (isFinal(error)) {
      onState?.('refused')
      break
    }
    onState?.('reconnecting')
    await wait(waitsMs[Math.min(failures, waitsMs.length - 1)] ?? 0)
  }
  return lastEventId
}

/** The name for all live queries, used where events may be missing. */
export const everything = 'everything'

/**
 * Returns the names of the live queries that an event affects. A resumed connection starts with `ready` and has no gap.
 */
export function touchedBy(event: SandboxEvent, resumed: boolean): readonly string[] {
  switch (event.type) {
    case 'ready':
      return resumed ? [] : [everything]
    case 'lead':
      return ['leads', 'lead', 'agenda', 'dry-run', 'activity']
    case 'callback':
      return ['callbacks', 'lead', 'inbox', 'coverage', 'agenda', 'activity']
    case 'request':
      // A rejection without a lead is in the list of leads, but has no lead event.
      return ['requests', 'coverage', 'activity', ...(event.request.outcome === 'rejected' ? ['leads'] : [])]
    case 'clock':
      return ['clock', 'agenda', 'dry-run', 'activity']
    case 'fault':
      return ['faults']
    case 'inbox':
      return ['inbox']
    case 'tenant':
      return event.change === 'deleted' ? ['account'] : [everything]
    default:
      return [everything]
  }
}
