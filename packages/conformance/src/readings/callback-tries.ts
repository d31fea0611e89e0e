import type { CallbackAnswer, Callbacks, ReceivedCallback } from '../callbacks.ts'
import { Unclear } from '../mismatch.ts'
import { recordEvent } from '../report-status.ts'
import type { Target } from '../target.ts'

/** A lead that an event was recorded on, and its callback. */
export interface Tried {
  readonly lead_id: string
  readonly callbacks: Callbacks
  /** The first try of the callback. */
  readonly first: ReceivedCallback
}

/**
 * Has an event recorded on a new lead whose callbacks are answered so, and looks on from the first try. In the end the
 * callbacks of the lead are answered with 200 again.
 * @throws {Unclear} where none comes.
 */
export function watchTries<Result>(
  target: Target,
  { event = 'registration', answers = [] }: { event?: string; answers?: readonly CallbackAnswer[] },
  look: (tried: Tried) => Promise<Result>,
): Promise<Result> {
  const { callbacks } = target
  if (!callbacks) throw new Unclear('Nobody listens to the callbacks: give --callback-listen.')
  return callbacks.inTurn(async () => {
    const lead_id = await target.distributedLead()
    try {
      callbacks.answer(lead_id, answers)
      await recordEvent(target, lead_id, event)
      const first = await callbacks.wait(lead_id)
      if (first) return await look({ lead_id, callbacks, first })
      throw new Unclear(
        `No callback of ${event} came within the patience: set the callback URL of the target to the listener, or wait longer by --patience.`,
      )
    } finally {
      callbacks.answer(lead_id, [])
    }
  })
}
