import { basePath } from '@lead-distribution/contract'
import type { ControlClient } from '@lead-distribution/control-client/core'
import type { OnCallback } from './callback-dialer.ts'

type Creation = NonNullable<Parameters<ControlClient['createTenant']>[0]>

/** How a tenant is created. All options are optional. */
export interface TenantOptions {
  /** Its name: lower-case letters, digits, hyphens. Default `test-1`, `test-2` and so on. */
  readonly name?: string | undefined
  /** Equal seed and name give equal ids, keys and random numbers, run after run. Default `msw`. */
  readonly seed?: Creation['seed']
  /** Which interpretation of the specification it follows. Default `prose`. */
  readonly profile?: Creation['profile']
  /** Interpretations of single open points, by their names. */
  readonly settings?: Creation['settings']
  /** The date-time that its clock is frozen at, such as `2026-01-31T09:30:00Z`. By default it runs. */
  readonly frozenAt?: string | undefined
  /** Takes its callbacks in process. Without it they go to the tenant's inbox, which `inbox.show()` shows. */
  readonly onCallback?: OnCallback | undefined
  /** The callback URL of its publisher. */
  readonly callbackUrl?: string | undefined
}

/** How a sandbox is created. All options are optional. */
export interface LeadSandboxOptions extends TenantOptions {
  /**
   * The base URL of the service; ends in `/api/v1`. Default `https://sandbox.leads.test/api/v1`. A host whose first
   * label is `sandbox` counts as a sandbox: the SDKs send sandbox keys to no other.
   */ // Spec 9
  readonly baseUrl?: string | undefined
  /**
   * What happens to callbacks that no `onCallback` takes: `'in_process'` (the default) sends none, `'fetch'` sends them
   * for real, past all handlers of msw, to this machine and to the allowed hosts.
   */
  readonly callbacks?: 'in_process' | 'fetch' | undefined
  /** Hosts besides this machine that callbacks may be sent to, such as `app.example.test`. */
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

/** Refuses options that nothing else would, in code that has no types. The control plane checks the values of a tenant. */
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

/** The part before the path of every URL of a sandbox with this base URL. */
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
