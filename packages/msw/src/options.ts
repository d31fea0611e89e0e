import { basePath } from '@lead-distribution/contract'
import type { TenantOptions } from './lead-tenant.ts'

/** How a sandbox is made. All of it may be left out. */
export interface LeadSandboxOptions extends TenantOptions {
  /**
   * Where the service seems to stand; ends in `/api/v1`. Default `https://sandbox.leads.test/api/v1`. A host whose first
   * label is `sandbox` counts as one (Spec 9): the SDKs send their sandbox keys nowhere else.
   */
  readonly baseUrl?: string | undefined
  /**
   * What becomes of callbacks that no `onCallback` takes: `'in_process'` (the default) sends none, `'fetch'` sends them
   * for real, past all handlers of msw, to this machine and to the allowed hosts.
   */
  readonly callbacks?: 'in_process' | 'fetch' | undefined
  /** Hosts besides this machine that callbacks may be fetched from, such as `app.example.test`. */
  readonly allowedCallbackHosts?: readonly string[] | undefined
}

const names = [
  'baseUrl',
  'name',
  'seed',
  'profile',
  'settings',
  'frozenAt',
  'onCallback',
  'callbackUrl',
  'callbacks',
  'allowedCallbackHosts',
] as const satisfies (keyof LeadSandboxOptions)[]

/**
 * Refuses what would otherwise be wrong unseen, where nobody has checked types. What the values of a tenant may be, the
 * control plane says.
 */
export function checkOptions(options: LeadSandboxOptions): void {
  const unknown = Object.keys(options).find(name => !(names as readonly string[]).includes(name))
  if (unknown !== undefined)
    throw new TypeError(`There is no option ${unknown}: check its spelling. The options are ${names.join(', ')}.`)
  const { callbacks = 'in_process', onCallback } = options
  if (callbacks !== 'in_process' && callbacks !== 'fetch')
    throw new TypeError("Give 'in_process' or 'fetch' as callbacks, or leave it out.")
  if (onCallback !== undefined && typeof onCallback !== 'function')
    throw new TypeError('Give a function as onCallback: it is called with the Request of each callback.')
}

/** The base URL that a sandbox has by default. */
export const defaultBaseUrl = `https://sandbox.leads.test${basePath}`

/** What stands before the path of every URL of a sandbox with this base URL. */
export function originOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  const path = url?.pathname.replace(/\/+$/, '')
  const isPlain =
    url && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.search}${url.hash}` === ''
  if (!isPlain || !path?.endsWith(basePath))
    throw new TypeError(
      `Give a baseUrl that begins with https:// or http:// and ends in ${basePath}, such as ${defaultBaseUrl}.`,
    )
  return `${url.origin}${path.slice(0, -basePath.length)}`
}
