import { basePath } from '@lead-distribution/contract'
import type { ControlClient } from '@lead-distribution/control-client'
import type { OnCallback } from './callback-dialer.ts'

type Creation = NonNullable<Parameters<ControlClient['createTenant']>[0]>

/**
 * The options of a tenant, all optional.
 * @category Options
 */
export interface TenantOptions {
  /** Name of the tenant: lower-case letters, digits and hyphens. Default: `test-1`, `test-2` and so on. */
  readonly name?: string | undefined
  /** Seed for ids, keys and random numbers: the same seed and name give the same values in every run. Default `msw`. */
  readonly seed?: Creation['seed']
  /** The interpretation of the specification. Default `prose`. */
  readonly profile?: Creation['profile']
  /** Interpretations of individual open points, by name. */
  readonly settings?: Creation['settings']
  /** The time at which the clock is frozen, such as `2026-01-31T09:30:00Z`. By default the clock runs. */
  readonly frozenAt?: string | undefined
  /** Receives the callbacks in process. Without it, they go to the tenant's inbox: see `inbox.show()`. */
  readonly onCallback?: OnCallback | undefined
  /** The publisher's callback URL. */
  readonly callbackUrl?: string | undefined
}

/**
 * The options of a sandbox, all optional.
 * @category Options
 */
export interface LeadSandboxOptions extends TenantOptions {
  /**
   * The base URL of the service, which ends in `/api/v1`. Default `https://sandbox.leads.test/api/v1`. Choose a host
   * whose first label is `sandbox`, because the SDKs refuse to send sandbox keys to any other.
   */ // Spec 9
  readonly baseUrl?: string | undefined
  /**
   * Determines what happens to callbacks without `onCallback`. `'in_process'` (the default): none are sent. `'fetch'`:
   * they are sent over the network, bypassing msw's handlers, to this machine and the allowed hosts.
   */
  readonly callbacks?: 'in_process' | 'fetch' | undefined
  /** Additional hosts to which callbacks may be sent, such as `app.example.test`. This machine is always allowed. */
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

/** Checks the options that nothing else checks, for plain JavaScript. The control plane checks a tenant's options. */
export function checkOptions(options: LeadSandboxOptions): void {
  const unknown = Object.keys(options).find(name => !(names as readonly string[]).includes(name))
  if (unknown !== undefined)
    throw new TypeError(`The option \`${unknown}\` is unknown. The options are ${names.join(', ')}.`)
  const { callbacks = 'in_process', onCallback } = options
  if (callbacks !== 'in_process' && callbacks !== 'fetch')
    throw new TypeError("`callbacks` must be 'in_process' or 'fetch'.")
  if (onCallback !== undefined && typeof onCallback !== 'function')
    throw new TypeError('`onCallback` must be a function. It is called with the `Request` of each callback.')
}

/** The default base URL of a sandbox. */
export const defaultBaseUrl = `https://sandbox.leads.test${basePath}`

/** Returns the origin that all URLs of a sandbox share. */
export function originOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  const path = url?.pathname.replace(/\/+$/, '')
  const isPlain =
    url && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.search}${url.hash}` === ''
  if (!isPlain || !path?.endsWith(basePath))
    throw new TypeError(
      `\`baseUrl\` must start with https:// or http:// and end in ${basePath}, such as ${defaultBaseUrl}.`,
    )
  return `${url.origin}${path.slice(0, -basePath.length)}`
}
