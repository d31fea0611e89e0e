import { equalText } from '@lead-distribution/contract'
import type { Authenticated, CallHead, HttpRequest, Refusal } from '@lead-distribution/http'
import { isLoopback } from '../never-distribute/callback-target.ts'
import type { TenantRegistry } from '../tenants/tenant-registry.ts'
import { findToken, tenantOfToken } from '../tenants/tenant-tokens.ts'
import { controlError } from './control-error.ts'
import type { ControlOperation } from './operation-defaults.ts'

/** What a caller of the control plane needs: on a loopback host nothing, elsewhere a token. */
export interface ControlAccess {
  /** The bearer token that opens everything; undefined on a loopback host, where no token is asked for. */
  readonly adminToken?: string | undefined
}

/** For whom a call of the control plane is made: the operator of the sandbox, or the holder of a tenant's token. */
export type Principal =
  | { readonly role: 'admin'; readonly tenant?: undefined }
  | { readonly role: 'read' | 'write'; readonly tenant: string }

/** What of a request its access depends on. */
export type Asked = Pick<HttpRequest, 'method' | 'headers'>

const admin: Principal = { role: 'admin' }

/** Finds the principal of a call: by its token, or on a loopback host by where it comes from. */
export async function findPrincipal(
  access: ControlAccess,
  { method, headers }: Asked,
  registry: Pick<TenantRegistry, 'find' | 'broken'>,
): Promise<Authenticated<Principal>> {
  const refused = refuseAccess(access, { method, headers })
  if (!refused) return { principal: admin }
  const token = access.adminToken === undefined ? undefined : bearerToken(headers)
  const tenant = token && tenantOfToken(token)
  const record = tenant ? (registry.find(tenant) ?? registry.broken.find(tenant))?.record : undefined
  const found = token && record && (await findToken(record, token))
  return found ? { principal: { role: found.role, tenant: record.tenant } } : { refused }
}

/**
 * Why a principal must not make a call; undefined where it may. A tenant's token reaches its own tenant; one that only
 * reads changes nothing there. What the operator decides, also about that tenant, takes the admin token.
 */
export function refusePrincipal(
  { role, tenant }: Principal,
  { needs }: Pick<ControlOperation, 'needs'>,
  { method, params }: Pick<CallHead, 'method' | 'params'>,
): Refusal | undefined {
  if (role === 'admin') return undefined
  if (needs === 'admin') return adminOnly
  if (params.tenant !== undefined && params.tenant !== tenant) return otherTenant
  return role === 'read' && (needs === 'write' || !isSafe(method)) ? onlyReads : undefined
}

/** The fields of replies that a token to read does not show: what somebody could act with as publisher or advertiser. */
const secretFields: readonly string[] = ['api_key', 'callback_secret', 'postback_secret', 'postback_url']

/** The body of a reply as a principal may see it. */
export function visibleTo({ role }: Principal, body: object): object {
  if (role !== 'read') return body
  return JSON.parse(JSON.stringify(body, (name, value) => (secretFields.includes(name) ? 'hidden' : value)))
}

/**
 * Why a request must not be made as the operator; undefined where it may. Without a token, a foreign `Host` is a page
 * that points its own name at this machine (DNS rebinding), and a foreign `Origin` a page that calls from
 * a browser: both are refused. What changes something is refused to pages of other ports of this machine too.
 */
export function refuseAccess({ adminToken }: ControlAccess, { method, headers }: Asked): Refusal | undefined {
  if (adminToken !== undefined) {
    const given = bearerToken(headers) ?? ''
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

const bearerToken = ({ authorization = '' }: HttpRequest['headers']) => /^Bearer (\S+)$/i.exec(authorization)?.[1]

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
  ...controlError(
    'unauthorized',
    'Send a token of this sandbox, the admin token or one of a tenant: Authorization: Bearer TOKEN.',
  ),
  headers: { 'www-authenticate': 'Bearer' },
}

const adminOnly = controlError('forbidden', 'This takes the admin token: a token of a tenant does not allow it.')

/** The same whether there is such a tenant or not. */
const otherTenant = controlError(
  'forbidden',
  'This token is of another tenant: name its tenant, or send a token of this one.',
)

const onlyReads = controlError('forbidden', 'This token only reads: send one with the role write, or the admin token.')

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
