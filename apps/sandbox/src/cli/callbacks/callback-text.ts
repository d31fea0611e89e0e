import type { Reply } from '../connection/session.ts'
import { paintStatus, paintWord } from '../printing/paint.ts'
import { list, sections, table } from '../printing/table.ts'
import { shortTime } from '../printing/time.ts'

/** A callback as the control plane shows it. */
export type Callback = Reply<'showCallback'>
type Attempt = Callback['attempts'][number]

/** Callbacks as a table, with what came of the last try. */
export function callbackTable(callbacks: readonly Callback[]): string {
  if (callbacks.length === 0) return 'No callbacks.'
  const rows = callbacks.map(({ callback_id, lead_id, event, state, attempts, next_attempt_at, held }) => [
    callback_id,
    lead_id,
    event,
    held === undefined ? paintWord(state) : `${paintWord(state)} (${held})`,
    attempts.length,
    outcomeOf(attempts.at(-1)),
    next_attempt_at && shortTime(next_attempt_at),
  ])
  return table(['callback', 'lead', 'event', 'state', 'tries', 'last try', 'next try (UTC)'], rows)
}

/** A callback with every try of it. */
export function callbackText(callback: Callback): string {
  const { callback_id, lead_id, event, url, state, attempts, next_attempt_at, held } = callback
  const about = list([
    ['callback_id', callback_id],
    ['lead_id', lead_id],
    ['event', event],
    ['url', url],
    ['state', paintWord(state)],
    ['held by a fault', held],
    ['next try (UTC)', next_attempt_at && shortTime(next_attempt_at)],
  ])
  const tries = attempts.map(attempt => [
    shortTime(attempt.at),
    outcomeOf(attempt),
    `${Math.round(attempt.ms)} ms`,
    attempt.fault_id,
  ])
  if (tries.length === 0) return about
  return `${about}\n\n${sections(['Tries', table(['at (UTC)', 'outcome', 'took', 'fault'], tries)])}`
}

/** What came of a try: the receiver's status, or why there is none. */
export function outcomeOf(attempt: Attempt | undefined): string | undefined {
  if (!attempt) return undefined
  const { status, error } = attempt
  return [status === undefined ? undefined : paintStatus(status), error].filter(word => word).join(' ')
}
