import { loggedPath, type RequestLine } from '../../log.ts'
import { paint, paintStatus, paintValue } from './paint.ts'
import { line, shortTime } from './printing.ts'

/** A call of the service on one line: time, method, path, status, outcome, reason, milliseconds. */
export function callLine(call: RequestLine, at: Date): string {
  const { method, path, status, ms, outcome, reason, event } = call
  const decided = [outcome && paintValue(outcome), reason, event].filter(part => part).join(' ')
  const time = paint('dim', shortTime(at.toISOString()).slice(11))
  return line([
    time,
    method.padEnd(4),
    loggedPath(path),
    paintStatus(status),
    decided,
    paint('dim', `${ms.toFixed(1)} ms`),
  ])
}
