import { type ConformanceCase, Mismatch, Unclear } from '../../conformance-case.ts'
import { recordEvent } from '../../report-status.ts'
import {
  type Callbacks,
  callbackParameter,
  type InterpretationOf,
  type Point,
  type ReceivedCallback,
  type Target,
} from '../../target.ts'

export interface Ends {
  readonly target: Target
  readonly callbacks: Callbacks
}

type About = Omit<ConformanceCase, 'run'>

/** Creates a case about callbacks that runs in its turn. It must not ask for an interpretation that needs callbacks. */
export function callbackCase({ run, ...about }: About & { run(ends: Ends): Promise<void> }): ConformanceCase {
  return inTurn(about, async () => run)
}

/** Creates a case that also needs the target's interpretation of a point. It is skipped if that is unknown. */
export function callbackCaseOf<P extends Point>(
  point: P,
  { run, ...about }: About & { run(ends: Ends, interpretation: InterpretationOf[P]): Promise<void> },
): ConformanceCase {
  return inTurn(about, async target => {
    const { interpretation, known_by } = await target.finding(point)
    if (interpretation === undefined) throw new Unclear(known_by)
    return ends => run(ends, interpretation)
  })
}

function inTurn(
  { needs = [], ...about }: About,
  prepare: (target: Target) => Promise<(ends: Ends) => Promise<void>>,
): ConformanceCase {
  return {
    ...about,
    needs: ['advertiser', 'callbacks', ...needs],
    async run(target) {
      const run = await prepare(target)
      const { callbacks } = target
      await callbacks?.inTurn(() => run({ target, callbacks }))
    },
  }
}

/**
 * Waits for the first callback of a lead, for this event if one is given.
 * @throws {Mismatch} if none arrives.
 */
export async function callbackOf({ callbacks }: Ends, lead_id: string, event?: string): Promise<ReceivedCallback> {
  const callback = await callbacks.wait(lead_id, event)
  if (callback) return callback
  const received = eventsOf(callbacks.of(lead_id)).join(', ') || 'none'
  throw new Mismatch(`a callback ${event === undefined ? '' : `for ${event} `}in time`, received)
}

/** Returns all callbacks of a lead so far. Reports `registration` last, to show that no other is on its way. */
export async function callbacksUpTo(ends: Ends, lead_id: string): Promise<readonly ReceivedCallback[]> {
  await recordEvent(ends.target, lead_id, 'registration')
  const last = await callbackOf(ends, lead_id, 'registration')
  return ends.callbacks.of(lead_id).filter(each => each.target !== last.target)
}

export function eventsOf(callbacks: readonly ReceivedCallback[]): string[] {
  return callbacks.map(each => callbackParameter(each, 'event') ?? 'nothing')
}
