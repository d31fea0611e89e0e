import type { ConnectionErrorCode } from './errors.ts'

/** The code and the message of a failed connection. */
interface ConnectionFailure {
  readonly code: ConnectionErrorCode
  readonly message: string
}

/** Advice for when no sandbox responds at the URL. */
export const howToStart = 'Start one with lead-sandbox start.'

const maybeDone = 'The call may have taken effect.'

/** Returns the failure for a connection that broke. */
export function connectionLost(url: string): ConnectionFailure {
  return {
    code: 'connection_lost',
    message: `The connection to ${url} broke before the response was complete. ${maybeDone}`,
  }
}

/** Returns the failure for a response that took too long. */
export function timedOut(url: string): ConnectionFailure {
  return { code: 'timed_out', message: `${url} did not respond in time. ${maybeDone}` }
}

/** Returns the message for a redirect, which the control plane never sends; undefined for any other status. */
export function redirectMessage(url: string, status: number, location: string | null | undefined): string | undefined {
  if (![301, 302, 303, 307, 308].includes(status)) return undefined
  if (!location || !URL.canParse(location, url))
    return `${url} redirects instead of responding as a sandbox. Open it in a browser to see where it leads.`
  const { origin } = new URL(url)
  const to = new URL(location, url)
  const advice = to.origin === origin ? "Check the URL's path" : `Set the URL to ${to.origin}`
  // Without the query, which may contain a secret, such as the state of a sign-in.
  return `${url} redirects to ${to.origin}${to.pathname} instead of responding as a sandbox. ${advice}, or sign in if a proxy requires it.`
}

/** The codes that Node reports for a broken connection. */
const lostCodes = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT']

/**
 * The port speaks another protocol: OpenSSL misreads its first bytes as a TLS record with a wrong version or length.
 */
const notTls = /wrong version number|packet length too long|http request/i

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/**
 * Returns the failure of a connection attempt from Node's error. Browsers report no reason; there, a failed connection
 * means that no sandbox is running.
 */
export function connectionFailure(url: string, error: unknown): ConnectionFailure {
  const { code, message, port } = networkError(error)
  const { protocol, host, hostname, port: ownPort } = new URL(url)
  const tls = (text: string) => ({ code: 'tls_failed' as const, message: text })
  const unreachable = (text: string) => ({ code: 'unreachable' as const, message: text })

  if (notTls.test(message)) return tls(`${host} does not speak TLS: start the URL with http://, or correct its port.`)
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code))
    return tls(`The certificate of ${host} is not accepted (${message}). ${certificateAdvice(code)}`)
  if (/^(?:EPROTO$|ERR_SSL_|ERR_TLS_)/.test(code) || message.includes('before secure TLS connection'))
    return tls(
      `The TLS connection to ${host} failed (${message}). Correct the URL, or the TLS settings of that server.`,
    )
  if (lostCodes.includes(code) || message === 'terminated') return connectionLost(url)
  if (code.startsWith('HPE_') || message.includes('does not match the HTTP'))
    return unreachable(
      `${host} does not speak HTTP: ${protocol === 'http:' ? 'start the URL with https://, or ' : ''}correct its port.`,
    )
  if (code.startsWith('ERR_PROXY_') || (port !== undefined && port !== Number(ownPort || defaultPorts[protocol])))
    return unreachable(
      `The proxy did not connect to ${host} (${message}): correct HTTP_PROXY and HTTPS_PROXY, or add ${hostname} to NO_PROXY.`,
    )
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return unreachable(`${hostname} has no address (${code}): correct the host name, or check this machine's DNS.`)
  if (/^(?:EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/.test(code))
    return unreachable(`${host} cannot be reached from here (${code}): check the network, the VPN and the firewall.`)
  return unreachable(`No sandbox responds at ${url}. ${howToStart}`)
}

function certificateAdvice(code: string): string {
  if (/EXPIRED|NOT_YET_VALID/.test(code)) return "Renew it, or correct this machine's clock."
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'Use a host name that the certificate covers.'
  return "If your own authority issued it, set NODE_EXTRA_CA_CERTS to a PEM file with that authority's certificate."
}

/**
 * Returns code, message and port of the innermost error: `fetch` wraps one error, and several attempts wrap each of
 * theirs.
 */
function networkError(error: unknown): { code: string; message: string; port: number | undefined } {
  let { code, message, port, cause, errors } = Object(error)
  for (let depth = 0; (cause ?? errors) !== undefined && depth < 5; depth++)
    ({ code, message, port, cause, errors } = Object(cause ?? errors[0]))
  const text = String(message ?? '')
  return {
    code: String(code ?? ''),
    // OpenSSL puts its reason between an address and a source location.
    message: /SSL routines:[^:]*:([^:]+)/.exec(text)?.[1] ?? text,
    port: typeof port === 'number' ? port : undefined,
  }
}
