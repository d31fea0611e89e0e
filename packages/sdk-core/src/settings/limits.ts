import { ConfigError } from '../errors/config-error.ts'
import type { CallLimits } from './client-options.ts'

const longest = 2_147_483_647

/**
 * The limits of a call: its own over the client's over the defaults.
 * @throws ConfigError where a limit is no sensible number.
 */
export function resolveLimits(client: CallLimits, call: CallLimits = {}) {
  const timeoutMs = call.timeoutMs ?? client.timeoutMs ?? 30_000
  const deadlineMs = call.deadlineMs ?? client.deadlineMs ?? Number.POSITIVE_INFINITY
  const maxRetries = call.maxRetries ?? client.maxRetries ?? 2
  if (!(timeoutMs > 0 && timeoutMs <= longest)) {
    throw new ConfigError(`\`timeoutMs\` must be a number of milliseconds from 1 to ${longest}.`)
  }
  if (!(deadlineMs > 0)) throw new ConfigError('`deadlineMs` must be a number of milliseconds above 0.')
  if (!(Number.isInteger(maxRetries) && maxRetries >= 0)) {
    throw new ConfigError('`maxRetries` must be an integer from 0; 0 means none.')
  }
  return { timeoutMs, deadlineMs, maxRetries }
}
