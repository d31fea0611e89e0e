import { type Callbacks, callbackParameter, type ReceivedCallback } from '../../callbacks.ts'
import type { ConformanceCase } from '../../conformance-case.ts'
import type { InterpretationOf, Point } from '../../interpretations/finding.ts'
import { Mismatch, Unclear } from '../../mismatch.ts'
import { recordEvent } from '../../report-status.ts'
import type { Target } from '../../target.ts'

/** The two ends of the service. */
export interface Ends {
  readonly target: Target
  readonly callbacks: Callbacks
}

type About = Omit<ConformanceCase, 'run'>

/** A case that looks at callbacks, in its turn. Nothing in it may ask for an interpretation that needs callbacks itself. */
export function callbackCase({ run, ...about }: About & { run(ends: Ends): Promise<void> }): ConformanceCase {
  return inTurn(about, async () => run)
}

/** A case that also needs to know how the target reads a point; it is skipped where that could not be found out. */
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
 * The first callback of a lead, of this event where one is named.
 * @throws {Mismatch} where none comes.
 */
export async function callbackOf({ callbacks }: Ends, lead_id: string, event?: string): Promise<ReceivedCallback> {
  const callback = await callbacks.wait(lead_id, event)
  if (callback) return callback
  const came = eventsOf(callbacks.of(lead_id)).join(', ') || 'none at all'
  throw new Mismatch(
    `a callback ${event === undefined ? '' : `of ${event} `}for the lead`,
    `${came} within the patience`,
  )
}

/**
 * The callbacks of a lead up to now. Both lists call `registration` so: its callback, reported after all else, shows
 * that nothing else is on its way.
 */
export async function callbacksUpTo(ends: Ends, lead_id: string): Promise<readonly ReceivedCallback[]> {
  await recordEvent(ends.target, lead_id, 'registration')
  const last = await callbackOf(ends, lead_id, 'registration')
  return ends.callbacks.of(lead_id).filter(each => each.target !== last.target)
}

/** What callbacks say has happened. */
export function eventsOf(callbacks: readonly ReceivedCallback[]): string[] {
  return callbacks.map(each => callbackParameter(each, 'event') ?? 'nothing')
}
