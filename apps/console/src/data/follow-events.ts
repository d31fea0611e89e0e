import type { EventOptions, SandboxEvent } from '@lead-distribution/control-client'

/** Whether news reaches the page: not yet, as it happens, or not until the connection is back. */
export type StreamState = 'connecting' | 'live' | 'reconnecting'

/** How a stream is followed. */
export interface FollowOptions {
  readonly open: (options: EventOptions) => AsyncIterable<SandboxEvent>
  readonly signal: AbortSignal
  /** The event that was read last, where the page followed before. */
  readonly lastEventId?: string | undefined
  /** `resumed`: its connection goes on after an event that was read before. */
  readonly onEvent: (event: SandboxEvent, resumed: boolean) => void
  /** Called with `reconnecting` once for each connection that failed or ended. */
  readonly onState?: (state: StreamState) => void
  /** Whether there is no use in trying again. */
  readonly isFinal: (error: unknown) => boolean
  readonly wait: (ms: number) => Promise<void>
}

/** How long the page waits before it connects again, milliseconds: longer each time, until it was connected. */
const waitsMs = [250, 500, 1_000, 2_000, 5_000]

/**
 * Follows a stream until the signal ends it, over as many connections as it takes: each goes on after the last event of
 * the one before. Resolves to the id of the last event.
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
        // A page that is too slow for its events begins anew: to be given them again would be slow, too.
        lastEventId = event.type === 'dropped' ? undefined : (event.id ?? lastEventId)
        onState?.('live')
        onEvent(event, resumed)
      }
    } catch (thrown) {
      error = thrown
    }
    if (signal.aborted || isFinal(error)) break
    onState?.('reconnecting')
    await wait(waitsMs[Math.min(failures, waitsMs.length - 1)] ?? 0)
  }
  return lastEventId
}

/**
 * What an event touches, by the names of live queries; `everything` where events may be missing before it. `ready` after
 * the event of an id comes without a gap.
 */
export function touchedBy(event: SandboxEvent, resumed: boolean): readonly string[] | 'everything' {
  switch (event.type) {
    case 'ready':
      return resumed ? [] : 'everything'
    case 'lead':
      return ['leads', 'lead', 'agenda', 'dry-run']
    case 'callback':
      return ['callbacks', 'lead', 'inbox', 'coverage', 'agenda']
    case 'call':
      return ['calls', 'coverage']
    case 'clock':
      return ['clock', 'agenda', 'dry-run']
    case 'fault':
      return ['faults']
    case 'inbox':
      return ['inbox']
    default:
      return 'everything'
  }
}
