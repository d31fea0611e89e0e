import type { ConnectionErrorCode } from './errors.ts'

/** The code and the message of a failed connection. */
interface ConnectionFailure {
  readonly code: ConnectionErrorCode
  readonly message: string
}

/** The advice where another server responds, or none. */
export const howToStart = 'Start one with lead-sandbox start.'

const maybeDone = 'The call may have taken effect.'

/** Returns the failure of a connection that broke. */
export function connectionLost(url: string): ConnectionFailure {
  return {
    code: 'connection_lost',
    message: `The connection to ${url} broke before the response was complete. ${maybeDone}`,
  }
}

/** Returns the failure of a response that did not come in time. */
export function timedOut(url: string): ConnectionFailure {
  return { code: 'timed_out', message: `${url} did not respond in time. ${maybeDone}` }
}

/** Returns the message for a redirect, which the control plane never sends; undefined for any other status. */
export function redirectMessage(url: string, status: number, location: string | null | undefined): string | undefined {
  if (![301, 302, 303, 307, 308].includes(status)) return undefined
  if (!location || !URL.canParse(location, url))
    return `${url} redirects and does not respond as a sandbox itself. Open the address in a browser to see where it leads.`
  const { origin } = new URL(url)
  const to = new URL(location, url)
  const advice = to.origin === origin ? 'Check the path of its address' : `Use ${to.origin} as its address`
  // Without its query, which may hold a secret, such as the state of a sign-in.
  return `${url} redirects to ${to.origin}${to.pathname} and does not respond as a sandbox itself. ${advice}, or sign in if a proxy asks for it.`
}

/** The codes that Node reports for a connection that broke. */
const lostCodes = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT']

/** A port that answers in another protocol: OpenSSL takes its first bytes for a record of a wrong version or length. */
const notTls = /wrong version number|packet length too long|http request/i

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/**
 * Returns the failure of a connection to a sandbox, by the error that Node reports. A browser reports no reason, so there
 * a sandbox counts as not running.
 */
export function connectionFailure(url: string, error: unknown): ConnectionFailure {
  const { code, message, port } = networkError(error)
  const { protocol, host, hostname, port: ownPort } = new URL(url)
  const tls = (text: string) => ({ code: 'tls_failed' as const, message: text })
  const unreachable = (text: string) => ({ code: 'unreachable' as const, message: text })

  if (notTls.test(message)) return tls(`${host} does not speak TLS: begin the URL with http://, or correct its port.`)
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code))
    return tls(`The certificate of ${host} is not accepted (${message}). ${certificateAdvice(code)}`)
  if (/^(?:EPROTO$|ERR_SSL_|ERR_TLS_)/.test(code) || message.includes('before secure TLS connection'))
    return tls(
      `The TLS connection to ${host} failed (${message}). Correct the URL, or the TLS settings of that server.`,
    )
  if (lostCodes.includes(code) || message === 'terminated') return connectionLost(url)
  if (code.startsWith('HPE_') || message.includes('does not match the HTTP'))
    return unreachable(
      `${host} does not speak HTTP: ${protocol === 'http:' ? 'begin the URL with https://, or ' : ''}correct its port.`,
    )
  if (code.startsWith('ERR_PROXY_') || (port !== undefined && port !== Number(ownPort || defaultPorts[protocol])))
    return unreachable(
      `The proxy did not connect to ${host} (${message}): correct HTTP_PROXY and HTTPS_PROXY, or name ${hostname} in NO_PROXY.`,
    )
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return unreachable(`${hostname} has no address (${code}): correct the host name, or check the DNS of this machine.`)
  if (/^(?:EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/.test(code))
    return unreachable(`${host} cannot be reached from here (${code}): check the network, the VPN and the firewall.`)
  return unreachable(`No sandbox responds at ${url}. ${howToStart}`)
}

function certificateAdvice(code: string): string {
  if (/EXPIRED|NOT_YET_VALID/.test(code)) return 'Renew it, or correct the clock of this machine.'
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'Use a host name that it was issued for.'
  return 'If your own authority issued it, set NODE_EXTRA_CA_CERTS to a PEM file with the certificate of that authority.'
}

/** Returns code, message and port of the first error below those that wrap it: `fetch` wraps one, several attempts wrap each. */
function networkError(error: unknown): { code: string; message: string; port: number | undefined } {
  let { code, message, port, cause, errors } = Object(error)
  for (let depth = 0; (cause ?? errors) !== undefined && depth < 5; depth++)
    ({ code, message, port, cause, errors } = Object(cause ?? errors[0]))
  const text = String(message ?? '')
  return {
    code: String(code ?? ''),
    // OpenSSL puts its reason between an address and a place in its source.
    message: /SSL routines:[^:]*:([^:]+)/.exec(text)?.[1] ?? text,
    port: typeof port === 'number' ? port : undefined,
  }
}
