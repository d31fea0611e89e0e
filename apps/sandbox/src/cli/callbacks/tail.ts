import { controlBounds } from '@lead-distribution/simulator/paths'
import type { Session } from '../connection/session.ts'
import { follow } from '../printing/follow.ts'
import { line } from '../printing/line.ts'
import { paintWord } from '../printing/paint.ts'
import { shortTime } from '../printing/time.ts'
import { type Callback, outcomeOf } from './callback-text.ts'

interface Flags {
  readonly lead?: string
  readonly follow?: boolean
}

/** How many callbacks are looked at: one that changes is among the newest. */
const newest = controlBounds.limit.max

/** Prints callbacks when they come and whenever their state or tries change: a line each, as JSON the callback. */
export async function tail(session: Session, flags: Flags): Promise<void> {
  const known = new Map<string, string>()
  const query = { lead_id: flags.lead, limit: newest }
  await follow(
    async () => {
      const { callbacks } = await session.ask<'listCallbacks'>('GET', ['callbacks'], { query })
      for (const callback of callbacks.toReversed()) {
        const state = `${callback.state} ${callback.attempts.length}`
        if (known.get(callback.callback_id) === state) continue
        known.set(callback.callback_id, state)
        session.print(callback, told)
      }
    },
    flags.follow ?? process.stdout.isTTY === true,
  )
}

function told({ callback_id, lead_id, event, state, attempts, next_attempt_at }: Callback): string {
  const last = attempts.at(-1)
  const at = last ? shortTime(last.at) : '-'.padEnd(shortTime(new Date(0).toISOString()).length)
  const parts = [at, callback_id, `lead ${lead_id}`, event, paintWord(state), outcomeOf(last)]
  return line([...parts, next_attempt_at && `next try ${shortTime(next_attempt_at)}`])
}
