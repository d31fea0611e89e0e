import { type ConformanceCase, Mismatch } from '../../conformance-case.ts'
import { knownInterpretation, recordEvent } from '../../report-status.ts'
import {
  type Callbacks,
  type Changes,
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
export function callbackCase({
  run,
  needs = [],
  ...about
}: About & { run(ends: Ends): Promise<void> }): ConformanceCase {
  return {
    ...about,
    needs: ['advertiser', 'callbacks', ...needs],
    async run(target) {
      const { callbacks } = target
      await callbacks?.inTurn(() => run({ target, callbacks }))
    },
  }
}

/** Creates a case that also needs the target's interpretation of a point. It is skipped if that is unknown. */
export function callbackCaseOf<P extends Point>(
  point: P,
  { run, ...about }: About & { run(ends: Ends, interpretation: InterpretationOf[P]): Promise<void> },
): ConformanceCase {
  const inTurn = (interpretation: InterpretationOf[P]) =>
    callbackCase({ ...about, run: ends => run(ends, interpretation) })
  return {
    ...callbackCase({ ...about, run: async () => undefined }),
    run: async target => inTurn(await knownInterpretation(target, point)).run(target),
  }
}

/** Records an event on a new lead. Returns the first callback of the lead, and the lead's id. */
export async function callbackAfter(ends: Ends, event = 'approved', changes?: Changes) {
  const lead_id = await ends.target.distributedLead(changes)
  await recordEvent(ends.target, lead_id, event)
  return { ...(await callbackOf(ends, lead_id)), lead_id }
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
