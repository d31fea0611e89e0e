import { longestMs } from '../call/within.ts'
import { ConfigError } from '../errors/config-error.ts'
import type { CallLimits, CallOptions } from './client-options.ts'

/**
 * The limits of a call: its own over the client's over the defaults.
 * @throws ConfigError where a limit is no sensible number, or the signal is none.
 */
export function resolveLimits(client: CallLimits, call: CallOptions = {}) {
  const { signal } = call
  const timeoutMs = call.timeoutMs ?? client.timeoutMs ?? 30_000
  const deadlineMs = call.deadlineMs ?? client.deadlineMs ?? Number.POSITIVE_INFINITY
  const maxRetries = call.maxRetries ?? client.maxRetries ?? 2
  if (!(timeoutMs > 0 && timeoutMs <= longestMs)) {
    throw new ConfigError(`\`timeoutMs\` must be a number of milliseconds from 1 to ${longestMs}.`)
  }
  if (!(deadlineMs > 0)) throw new ConfigError('`deadlineMs` must be a number of milliseconds above 0.')
  if (!(Number.isInteger(maxRetries) && maxRetries >= 0)) {
    throw new ConfigError('`maxRetries` must be an integer from 0; 0 means none.')
  }
  if (signal && typeof signal.addEventListener !== 'function') {
    throw new ConfigError('`signal` must be an AbortSignal: pass the `signal` of an AbortController, not itself.')
  }
  return { signal, timeoutMs, deadlineMs, maxRetries }
}
