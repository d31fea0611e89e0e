import { equalText } from '@lead-distribution/contract'
import type { HttpRequest, Refusal } from '@lead-distribution/http'
import { isLoopback } from '../never-distribute/callback-target.ts'
import { controlError } from './control-error.ts'

/** What a caller of the control plane needs: on a loopback host nothing, elsewhere the token. */
export interface ControlAccess {
  /** The bearer token; undefined on a loopback host. */
  readonly adminToken?: string | undefined
}

/** What of a request its access depends on. */
export type Asked = Pick<HttpRequest, 'method' | 'headers'>

/**
 * Why a request must not use the control plane; undefined where it may. Without a token, a foreign `Host` is a page
 * that points its own name at this machine (DNS rebinding), and a foreign `Origin` a page that calls from
 * a browser: both are refused. What changes something is refused to pages of other ports of this machine too.
 */
export function refuseAccess({ adminToken }: ControlAccess, { method, headers }: Asked): Refusal | undefined {
  if (adminToken !== undefined) {
    const given = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
    return given !== '' && equalText(given, adminToken) ? undefined : tokenWanted
  }
  return refuseForeign(headers) ?? (isSafe(method) ? undefined : refuseOtherPages(headers))
}

/**
 * Why a request must not reach the inbox of a tenant, which has no token: a callback comes from a server, never from
 * a page, though its method is a GET.
 */
export function refuseCallback({ adminToken }: ControlAccess, headers: HttpRequest['headers']): Refusal | undefined {
  return (adminToken === undefined ? refuseForeign(headers) : undefined) ?? refuseOtherPages(headers)
}

const isSafe = (method: string) => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

/** The refusal of another machine's name. */
function refuseForeign({ host, origin }: HttpRequest['headers']): Refusal | undefined {
  if (host !== undefined && !isLoopbackUrl(`http://${host}`)) return foreign('Host')
  return origin === undefined || isLoopbackUrl(origin) ? undefined : foreign('Origin')
}

/** The refusal of every page but the sandbox's own. A browser sends one of the headers at least, and no page can change them. */
function refuseOtherPages({ host, origin, 'sec-fetch-site': site }: HttpRequest['headers']): Refusal | undefined {
  if (site !== undefined) return site === 'same-origin' || site === 'none' ? undefined : otherPage('Sec-Fetch-Site')
  const isOwn = origin === undefined || (URL.canParse(origin) && new URL(origin).host === host?.toLowerCase())
  return isOwn ? undefined : otherPage('Origin')
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

function otherPage(header: string): Refusal {
  return controlError(
    'forbidden',
    `The ${header} header names a page of another origin, which must not change anything here: call from the sandbox's own pages, or from outside of a browser.`,
  )
}

function isLoopbackUrl(text: string): boolean {
  return URL.canParse(text) && isLoopback(new URL(text).hostname)
}
