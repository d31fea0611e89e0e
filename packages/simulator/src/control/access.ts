import { equalText } from '@lead-distribution/contract'
import type { HttpRequest, Refusal } from '@lead-distribution/http'
import { isLoopback } from '../never-distribute/callback-target.ts'
import { controlError } from './control-error.ts'

/** What a caller of the control plane needs: on a loopback host nothing, elsewhere the token. */
export interface ControlAccess {
  /** The bearer token; undefined on a loopback host. */
  readonly adminToken?: string | undefined
}

/**
 * Why a request must not use the control plane; undefined where it may. Without a token, a foreign `Host` is a page
 * that points its own name at this machine (DNS rebinding), and a foreign `Origin` a page that calls from
 * a browser: both are refused.
 */
export function refuseAccess({ adminToken }: ControlAccess, headers: HttpRequest['headers']): Refusal | undefined {
  if (adminToken !== undefined) {
    const given = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
    return given !== '' && equalText(given, adminToken) ? undefined : tokenWanted
  }
  const { host, origin } = headers
  if (host !== undefined && !isLoopbackUrl(`http://${host}`)) return foreign('Host')
  return origin === undefined || isLoopbackUrl(origin) ? undefined : foreign('Origin')
}

const tokenWanted: Refusal = {
  ...controlError('unauthorized', 'Send the token that the sandbox was started with: Authorization: Bearer TOKEN.'),
  headers: { 'www-authenticate': 'Bearer' },
}

function foreign(header: string): Refusal {
  return controlError(
    'forbidden',
    `The control plane takes calls from this machine only, and the ${header} header names another.`,
  )
}

function isLoopbackUrl(text: string): boolean {
  return URL.canParse(text) && isLoopback(new URL(text).hostname)
}
