import type { SandboxCallback } from '../../storage/records.ts'
import { iso } from '../context.ts'

/** A callback as the control plane shows it. */
export function callbackView({ due_at, resent_after: _, attempts, held, ...callback }: SandboxCallback) {
  return {
    ...callback,
    attempts: attempts.map(attempt => ({ ...attempt, at: iso(attempt.at) })),
    ...(due_at === undefined || callback.state !== 'pending' ? {} : { next_attempt_at: iso(due_at) }),
    ...(held === undefined ? {} : { held }),
  }
}
