import type { Callback } from '@lead-distribution/control-client'
import { paintStatus, paintValue } from '../printing/paint.ts'
import { line, shortTime } from '../printing/printing.ts'
import { list, sections, table } from '../printing/table.ts'

type Attempt = Callback['attempts'][number]

/** Why a callback waits, by what holds it. */
const holds = {
  delay: 'delayed by a fault',
  reorder: 'reordered by a fault',
  tenant: 'held by you',
} as const satisfies Record<NonNullable<Callback['held']>, string>

/** Callbacks as a table, with the result of the last attempt. */
export function callbackTable(callbacks: readonly Callback[]): string {
  const rows = callbacks.map(({ callback_id, lead_id, event, state, attempts, next_attempt_at, held }) => [
    callback_id,
    lead_id,
    event,
    held === undefined ? paintValue(state) : `${paintValue(state)} (${holds[held]})`,
    attempts.length,
    outcomeOf(attempts.at(-1)),
    next_attempt_at && shortTime(next_attempt_at),
  ])
  return table(['callback', 'lead', 'event', 'state', 'tries', 'last try', 'next try (UTC)'], rows, 'No callbacks.')
}

/** A callback with all its attempts. */
export function callbackText(callback: Callback): string {
  const { callback_id, lead_id, event, url, state, attempts, next_attempt_at, held } = callback
  const about = list([
    ['callback_id', callback_id],
    ['lead_id', lead_id],
    ['event', event],
    ['url', url],
    ['state', held === undefined ? paintValue(state) : `${paintValue(state)}, ${holds[held]}`],
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

/** The result of an attempt: the receiver's status, or why there is none. */
function outcomeOf(attempt: Attempt | undefined): string | undefined {
  if (!attempt) return undefined
  const { status, error } = attempt
  return [status === undefined ? undefined : paintStatus(status), error].filter(part => part).join(' ')
}

/** A callback on one line. */
export function callbackLine({ callback_id, lead_id, event, state, attempts, next_attempt_at }: Callback): string {
  const last = attempts.at(-1)
  const at = last ? shortTime(last.at) : '-'.padEnd(shortTime(new Date(0).toISOString()).length)
  const parts = [at, callback_id, `lead ${lead_id}`, event, paintValue(state), outcomeOf(last)]
  return line([...parts, next_attempt_at && `next try ${shortTime(next_attempt_at)}`])
}
