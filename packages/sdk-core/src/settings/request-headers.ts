import { keyHeader } from '@lead-distribution/contract'
import { callIdHeader } from '@lead-distribution/sdk-core/network'
import { assertConfig } from '../errors/unsent-errors.ts'
import { version } from '../version.generated.ts'
import type { KeyVariable } from './api-key.ts'

/** More headers of a request, by their names; one that is `undefined` is not sent. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>

/** The application that uses an SDK. The service sees it in the `User-Agent`. */
export interface AppInfo {
  /** Letters, digits, `.`, `_` and `-`. */
  name: string
  /** Letters, digits, `.`, `_`, `+` and `-`. */
  version?: string | undefined
  /** Where to learn about it. */
  url?: string | undefined
}

/** What an SDK sets itself. */
export const ownHeaders: readonly string[] = [keyHeader, callIdHeader, 'accept', 'content-type', 'user-agent']

/** Headers of framing and connection: the runtime sets them, and `fetch` fails before it sends anything, or lets them pass. */
const runtimeHeaders = /^(transfer-encoding|content-length|connection|keep-alive|upgrade|expect|te|trailer|host)$/

/**
 * The headers of the client and of a call, names in lower case; a later one wins.
 * @throws ConfigError they are no headers, or one is set by the SDK or the runtime. The message repeats no value: it may be a secret.
 */
export function resolveHeaders(...given: (RequestHeaders | undefined)[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const some of given) {
    const isPlain = some === undefined || (typeof some === 'object' && some && !(Symbol.iterator in some))
    assertConfig(isPlain, '`headers` must be an object of names and texts.')
    for (const [key, value] of Object.entries(some ?? {})) {
      const name = key.toLowerCase()
      assertConfig(!ownHeaders.includes(name), `\`headers\` must not set ${name}: the SDK does.`)
      assertConfig(!runtimeHeaders.test(name), `\`headers\` must not set ${name}: the runtime does.`)
      const fits = value === undefined || (typeof value === 'string' && /^[\t\x20-\x7e\xa0-\xff]*$/.test(value))
      assertConfig(fits && /^[\w!#$%&'*+.^`|~-]+$/.test(name), '`headers` must be names and texts that HTTP can carry.')
      if (value === undefined) delete headers[name]
      else headers[name] = value
    }
  }
  return headers
}

/**
 * The `User-Agent`: the SDK, the runtime and the application, such as
 * `lead-distribution-publisher/1.2.0 node/24 shop/3.1 (https://shop.example)`. Browsers send their own.
 * @throws ConfigError `appInfo` does not fit into it.
 */
export function userAgentOf(variable: KeyVariable, appInfo: AppInfo | undefined): string | undefined {
  const { name, version: ofApp, url }: AppInfo = Object(appInfo)
  const fits = /^[\w.-]+$/.test(name) && /^[\w.+-]+$/.test(ofApp ?? '0') && /^[!-'*-~]+$/.test(url ?? '-')
  assertConfig(
    appInfo === undefined || (typeof name === 'string' && fits),
    '`appInfo` must be a name, a version and a URL without spaces.',
  )
  const runtime = globalThis.navigator?.userAgent ?? ''
  if (runtime.startsWith('Mozilla/')) return undefined
  const sdk = `lead-distribution-${variable === 'LEAD_PUBLISHER_API_KEY' ? 'publisher' : 'advertiser'}/${version}`
  const app = appInfo && `${name}${ofApp ? `/${ofApp}` : ''}${url ? ` (${url})` : ''}`
  return [sdk, runtime.toLowerCase().replace('.js', ''), app].filter(Boolean).join(' ')
}
