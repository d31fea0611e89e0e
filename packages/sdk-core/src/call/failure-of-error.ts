import type { FailureKind } from './retry-table.ts'

// Before a connection stands nothing can have been sent. The words are Node's, then Bun's.
const beforeConnect =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$/
const untrusted =
  /CERT|SELF_SIGNED|WRONG_VERSION|PACKET_LENGTH|UNABLE_TO_VERIFY|HANDSHAKE_FAIL|PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/

/**
 * What a thrown network error proves. Browsers and edge runtimes give no reason, so what is not known to have
 * failed before the connection stood counts as a lost reply.
 */
export function failureOfError(error: unknown): FailureKind {
  try {
    return kindOf(error, 0)
  } catch {
    // A getter of it threw, and what it threw may hold anything.
    return 'reply_lost'
  }
}

function kindOf(error: unknown, depth: number): FailureKind {
  if (typeof error !== 'object' || error === null || depth > 5) return 'reply_lost'
  const { code, syscall, errors, cause, message } = error as Record<string, unknown>
  if (Array.isArray(errors) && errors.length > 0) {
    // One attempt an address: only when each failed before it stood was nothing sent.
    const kinds = errors.map(each => kindOf(each, depth + 1))
    return kinds.every(kind => kind === 'not_reached') ? 'not_reached' : 'reply_lost'
  }
  if (typeof code === 'string') {
    if (beforeConnect.test(code) || syscall === 'connect') return 'not_reached'
    // Node's own sentences, and all that tells such an end of the handshake, or a proxy that refuses to connect, from
    // a connection that is lost after the request.
    if (/before secure TLS|when HTTP Tunneling/.test(String(message))) return 'not_reached'
    if (untrusted.test(code)) return 'untrusted'
  } else if (/ client error \(Connect\): /.test(String(message))) {
    // Deno gives a sentence and no code; it cannot come from a URL, for it has spaces.
    return /certificate/.test(String(message)) ? 'untrusted' : 'not_reached'
  }
  return kindOf(cause, depth + 1)
}
