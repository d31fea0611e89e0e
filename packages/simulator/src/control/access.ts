import { equalText } from '@lead-distribution/contract'
import type { HttpRequest, JsonResponse } from '@lead-distribution/http'
import { isLoopback } from '../never-distribute/hosts.ts'
import { controlError } from './control-error.ts'

/** Who may use the control plane: on a loopback host whoever is on this machine, elsewhere who has the token. */
export interface ControlAccess {
  /** The bearer token that is asked for; undefined on a loopback host. */
  readonly adminToken?: string | undefined
}

/**
 * Why a request must not use the control plane; undefined where it may. Without a token, a foreign `Host` is a page
 * that points a name of its own at this machine (DNS rebinding), and a foreign `Origin` a page that calls from
 * a browser: both are refused.
 */
export function refuseAccess({ adminToken }: ControlAccess, headers: HttpRequest['headers']): JsonResponse | undefined {
  if (adminToken !== undefined) {
    const given = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
    return given !== '' && equalText(given, adminToken) ? undefined : tokenWanted
  }
  const { host, origin } = headers
  if (host !== undefined && !isLoopbackUrl(`http://${host}`)) return foreign('Host')
  return origin === undefined || isLoopbackUrl(origin) ? undefined : foreign('Origin')
}

const tokenWanted: JsonResponse = {
  ...controlError(
    401,
    'unauthorized',
    'Send the token that the sandbox was started with: Authorization: Bearer TOKEN.',
  ),
  headers: { 'www-authenticate': 'Bearer' },
}

function foreign(header: string): JsonResponse {
  return controlError(
    403,
    'forbidden',
    `The control plane takes calls of this machine alone, and the ${header} header names another.`,
  )
}

function isLoopbackUrl(text: string): boolean {
  return URL.canParse(text) && isLoopback(new URL(text).hostname)
}
