import type { FailureKind } from './retry-table.ts'

// Before a connection stands nothing can have been sent. The words are Node's, then Bun's.
const beforeConnect =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$/
const untrusted = /CERT|SELF_SIGNED|WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNABLE_TO_VERIFY/

/**
 * What a thrown network error proves. Browsers and edge runtimes give no reason, so what is not known to have
 * failed before the connection stood counts as a lost reply.
 */
export function failureOfError(error: unknown, depth = 0): FailureKind {
  if (typeof error !== 'object' || error === null || depth > 5) return 'reply_lost'
  const { code, syscall, errors, cause } = error as Record<string, unknown>
  if (Array.isArray(errors) && errors.length > 0) {
    // One attempt an address: only when each failed before it stood was nothing sent.
    const kinds = errors.map(each => failureOfError(each, depth + 1))
    return kinds.every(kind => kind === 'not_reached') ? 'not_reached' : 'reply_lost'
  }
  if (typeof code === 'string') {
    if (beforeConnect.test(code) || syscall === 'connect') return 'not_reached'
    if (untrusted.test(code)) return 'untrusted'
  }
  return failureOfError(cause, depth + 1)
}
