import { equalText } from '@lead-distribution/contract'
import type { Call, EventStream, HttpRequest, Refusal } from '@lead-distribution/http'
import { isLoopback, portOf } from '../egress/callback-target.ts'
import type { TenantRegistry } from '../tenants/registry.ts'
import type { Tenant } from '../tenants/runtime.ts'
import { findToken, tenantOfToken } from '../tenants/tokens.ts'
import { sandboxPath } from '../urls.ts'
import { controlError } from './control-error.ts'

/** Access to the control plane: open on a loopback host, by token elsewhere. */
export interface ControlAccess {
  /** The admin's bearer token; undefined on a loopback host, where no token is required. */
  readonly adminToken?: string | undefined
  /** The origin of the sandbox's own pages, also behind a proxy that sends another `Host`. */
  readonly origin?: string | undefined
}

/** The caller of the control plane: the operator of the sandbox, or the holder of a tenant's token. */
export type Principal =
  | { readonly role: 'admin'; readonly tenant?: undefined }
  | { readonly role: 'read' | 'write'; readonly tenant: string }

/** The minimum token that an operation requires: the admin token, or a tenant token with a role. */
export type LeastToken = 'admin' | 'write' | 'read'

type Headers = HttpRequest['headers']

const admin: Principal = { role: 'admin' }

/** Finds the principal of a request: by its token or, on a loopback host, by its origin. */
export async function findPrincipal(
  access: ControlAccess,
  headers: Headers,
  registry: Pick<TenantRegistry, 'find' | 'broken'>,
): Promise<{ principal: Principal; refused?: never } | { principal?: never; refused: Refusal }> {
  const refused = refuseAccess(access, headers)
  if (!refused) return { principal: admin }
  if (refused !== tokenWanted) return { refused }
  const token = tokenOf(access, headers)
  const tenant = token && tenantOfToken(token)
  const record = tenant ? (registry.find(tenant) ?? registry.broken.find(tenant))?.record : undefined
  const found = token && record && (await findToken(record, token))
  return found ? { principal: { role: found.role, tenant: record.tenant } } : { refused }
}

/** Returns the error for a request that the principal may not make; otherwise undefined. */
export function refusePrincipal(
  { role, tenant }: Principal,
  declared: { readonly needs?: LeastToken },
  { method, params }: Pick<Call, 'method' | 'params'>,
): Refusal | undefined {
  if (role === 'admin') return undefined
  const { needs = isSafe(method) ? 'read' : 'write' } = declared
  if (needs === 'admin') return adminOnly
  if (params.tenant !== undefined && params.tenant !== tenant) return otherTenant
  return role === 'read' && needs === 'write' ? onlyReads : undefined
}

export function tenantsOpenTo({ tenant: own }: Principal, registry: Pick<TenantRegistry, 'list'>): Tenant[] {
  return registry.list().filter(({ record }) => own === undefined || record.tenant === own)
}

const hide = () => 'hidden'

/**
 * The fields to hide from a read-only token. With them, its holder could act as the publisher or the advertiser, or call
 * the other party's application, which often has nothing but a secret URL to protect it.
 */
const redactedForReaders: Readonly<Record<string, (value: string) => string>> = {
  api_key: hide,
  callback_secret: hide,
  postback_secret: hide,
  postback_url: hide,
  callback_url: hostOf,
  backend_url: hostOf,
  forward_to: hostOf,
  url: url => `${hostOf(url)}${callbackOf(url)}`,
  /** The path and query of a callback that an inbox received. */
  target: target => `/hidden${callbackOf(target)}`,
}

/** A receiver's response, which may echo the whole URL. */
const hiddenFromReaders = 'answer'

/** Returns a response body or event data with the fields hidden that the principal may not see. */
export function visibleTo({ role }: Principal, body: object): object {
  if (role !== 'read') return body
  const show = (name: string, value: unknown) => {
    if (name === hiddenFromReaders) return undefined
    return typeof value === 'string' && Object.hasOwn(redactedForReaders, name)
      ? redactedForReaders[name]?.(value)
      : value
  }
  return JSON.parse(JSON.stringify(body, show))
}

/** Returns a stream with the fields hidden that the principal may not see. */
export function streamVisibleTo(principal: Principal, stream: EventStream): EventStream {
  if (principal.role !== 'read') return stream
  const show = (_: string, data: string) => `data: ${JSON.stringify(visibleTo(principal, JSON.parse(data)))}`
  return {
    // Not a generator: it could not be closed while it waits for the next event.
    [Symbol.asyncIterator]() {
      const pieces = stream[Symbol.asyncIterator]()
      return {
        async next() {
          const { done, value } = await pieces.next()
          return done ? { done, value } : { done: false, value: value.replace(/^data: (.*)$/gm, show) }
        },
        async return() {
          await pieces.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? `${new URL(url).origin}/hidden` : 'hidden'
}

/** The part of a callback's query that names the lead and the event, which the callback's own fields show too. */
function callbackOf(target: string): string {
  const query = new URLSearchParams(target.slice(target.indexOf('?') + 1))
  const kept = ['lead_id', 'event'].filter(name => query.has(name))
  return kept.length === 0
    ? ''
    : `?${kept.map(name => `${name}=${encodeURIComponent(query.get(name) ?? '')}`).join('&')}`
}

/** Returns the reason why a request may not act as the operator; otherwise undefined. Pages of other origins never may. */
export function refuseAccess(access: ControlAccess, headers: Headers): Refusal | undefined {
  const refused = refusePages(access, headers)
  const { adminToken } = access
  if (refused || adminToken === undefined) return refused
  const given = tokenOf(access, headers) ?? ''
  return given !== '' && equalText(given, adminToken) ? undefined : tokenWanted
}

/**
 * Returns the error for a request from a page of another origin, even where no token is needed, such as at the inbox,
 * which receives callbacks from servers. Without tokens, a foreign `Host` means that a page points its own name at this
 * machine (DNS rebinding), and is refused too. Reads are refused as well as writes: a page that opens a stream uses up
 * one of the available streams, although the page can't read it.
 */
export function refusePages({ adminToken, origin }: ControlAccess, headers: Headers): Refusal | undefined {
  return (adminToken === undefined ? refuseForeign(headers) : undefined) ?? refuseOtherPages(headers, origin)
}

const isSafe = (method: string) => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

/** Returns a request's token. A header wins over the cookie, which browsers send automatically. */
function tokenOf(access: ControlAccess, headers: Headers): string | undefined {
  return bearerToken(headers) ?? cookieToken(access, headers)
}

const bearerToken = ({ authorization = '' }: Headers) => /^Bearer (\S+)$/i.exec(authorization)?.[1]

/** A host's cookies are sent to all of its ports, so the name includes the sandbox's port. */
const cookieName = ({ origin }: ControlAccess) => `lead_sandbox_${origin ? portOf(new URL(origin)) : ''}`

function cookieToken(access: ControlAccess, { cookie = '' }: Headers): string | undefined {
  const name = `${cookieName(access)}=`
  const found = cookie.split(/; */).find(pair => pair.startsWith(name))
  const value = found?.slice(name.length)
  return value !== undefined && /^(?:[^%]|%[2-7][0-9A-F])*$/.test(value) ? decodeURIComponent(value) : undefined
}

/**
 * Returns the header that stores the request's token in the session cookie, or removes the cookie if no headers are
 * given. Pages can't read the cookie, other sites can't send it, and {@link refusePages} refuses other origins. Empty for
 * a sandbox without tokens.
 */
export function sessionCookie(access: ControlAccess, headers: Headers | undefined): Record<string, string> {
  const { adminToken, origin } = access
  if (adminToken === undefined || origin === undefined) return {}
  const { protocol, pathname } = new URL(origin)
  const attributes = [
    `Path=${pathname.replace(/\/$/, '')}${sandboxPath}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(protocol === 'https:' ? ['Secure'] : []),
    ...(headers ? [] : ['Max-Age=0']),
  ]
  const value = encodeURIComponent(headers ? (tokenOf(access, headers) ?? '') : '')
  return { 'set-cookie': [`${cookieName(access)}=${value}`, ...attributes].join('; ') }
}

/** Headers that proxies add: the original sender may be on another machine. */
const ofProxies = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/

/** The error for another machine's name, and for another machine behind a local proxy. */
function refuseForeign({ host, origin, ...headers }: Headers): Refusal | undefined {
  if (!isOwnHost(host)) return foreign('Host')
  const proxied = Object.keys(headers).find(name => ofProxies.test(name))
  if (proxied !== undefined) return behindProxy(proxied)
  return origin === undefined || isLoopbackUrl(origin) ? undefined : foreign('Origin')
}

/**
 * Returns the error for a request to another machine's name, on any path. If a sandbox without tokens listens on the
 * network, a page that points its own name there (DNS rebinding) then reaches nothing, not even the service, where the
 * demo keys are public. Programs other than browsers can send any `Host`.
 */
export function refuseOtherHosts({ host }: Headers): Refusal | undefined {
  return isOwnHost(host) ? undefined : otherHost
}

const isOwnHost = (host: string | undefined) => host === undefined || isLoopbackUrl(`http://${host}`)

/**
 * Returns the error for a request from any page but the sandbox's own. Browsers send at least one of the headers, and no
 * page can change them. The OpenAPI documents need no other check, so the reference works under every name of the
 * machine.
 */
export function refuseOtherPages(
  { host, origin, 'sec-fetch-site': site }: Headers,
  own: string | undefined,
): Refusal | undefined {
  if (site !== undefined) return site === 'same-origin' || site === 'none' ? undefined : otherPage('Sec-Fetch-Site')
  if (origin === undefined) return undefined
  if (!URL.canParse(origin)) return otherPage('Origin')
  const isOwn = new URL(origin).host === host?.toLowerCase() || (own !== undefined && origin === new URL(own).origin)
  return isOwn ? undefined : otherPage('Origin')
}

const tokenWanted: Refusal = {
  ...controlError(
    'unauthorized',
    'Send a token of this sandbox, the admin token or one of a tenant: Authorization: Bearer TOKEN.',
  ),
  headers: { 'www-authenticate': 'Bearer' },
}

/** The error for operations that only the operator may call. */
export const adminOnly = controlError('forbidden', 'Requires the admin token.')

/** The same whether or not the tenant exists. */
export const otherTenant = controlError(
  'forbidden',
  'This token belongs to another tenant. Name that tenant, or send a token of this one.',
)

const onlyReads = controlError(
  'forbidden',
  'This token is read-only. Send one with the role write, or the admin token.',
)

function foreign(header: string): Refusal {
  return controlError(
    'forbidden',
    `Without tokens, the control plane accepts requests only from this machine, and the ${header} header names another one.`,
  )
}

const behindProxy = (header: string) =>
  controlError(
    'forbidden',
    `Without tokens, the control plane accepts requests only from this machine, and the ${header} header shows that a proxy forwarded this one. Set an admin token: --admin-token, or \`adminToken\` of createSandboxRouter().`,
  )

const otherHost = controlError(
  'forbidden',
  'With --local, this sandbox accepts requests only for this machine, such as http://127.0.0.1:4010, and the Host header names another one. To share it, start it with --admin-token instead.',
)

function otherPage(header: string): Refusal {
  return controlError(
    'forbidden',
    `The ${header} header names a page from another origin, which is not allowed. Send the request from the sandbox's own pages, or from outside a browser.`,
  )
}

function isLoopbackUrl(text: string): boolean {
  return URL.canParse(text) && isLoopback(new URL(text).hostname)
}
