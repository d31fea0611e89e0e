import { keyHeader } from '@lead-distribution/contract'
import { callIdHeader } from '@lead-distribution/sdk-core/network'
import { assertConfig } from '../errors/config-error.ts'
import { version } from '../version.generated.ts'
import type { KeyVariable } from './api-key.ts'

/** Additional headers of a request by name; one that is `undefined` is not sent. @inline */
export type RequestHeaders = Readonly<Record<string, string | undefined>>

/** The application that uses an SDK. The service sees it in the `User-Agent`. @inline */
export type AppInfo = {
  /** Letters, digits, `.`, `_` and `-`. */
  name: string
  /** Letters, digits, `.`, `_`, `+` and `-`. */
  version?: string | undefined
  /** URL of the application. */
  url?: string | undefined
}

/** The headers that an SDK sets itself. */
export const ownHeaders: readonly string[] = [keyHeader, callIdHeader, 'accept', 'content-type', 'user-agent']

/** Headers of framing and connection. The runtime sets them; with other values `fetch` fails, or sends them. */
const runtimeHeaders = /^(transfer-encoding|content-length|connection|keep-alive|upgrade|expect|te|trailer|host)$/

/**
 * Merges the headers of the client and of a call, names in lower case; a later one overrides.
 * @throws ConfigError they are not headers, or the SDK or the runtime sets one. The message repeats no value, which may
 * be a secret.
 */
export function resolveHeaders(...given: (RequestHeaders | undefined)[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const some of given) {
    const isPlain = some === undefined || (typeof some === 'object' && some && !(Symbol.iterator in some))
    assertConfig(isPlain, '`headers` must be an object of header names and strings.')
    for (const [key, value] of Object.entries(some ?? {})) {
      const name = key.toLowerCase()
      assertConfig(!ownHeaders.includes(name), `\`headers\` must not set ${name}: the SDK sets it.`)
      assertConfig(!runtimeHeaders.test(name), `\`headers\` must not set ${name}: the runtime sets it.`)
      const fits = value === undefined || (typeof value === 'string' && /^[\t\x20-\x7e\xa0-\xff]*$/.test(value))
      assertConfig(fits && /^[\w!#$%&'*+.^`|~-]+$/.test(name), '`headers` must be names and values that HTTP allows.')
      if (value === undefined) delete headers[name]
      else headers[name] = value
    }
  }
  return headers
}

/**
 * Returns the `User-Agent` of the SDK, the runtime and the application, such as
 * `lead-distribution-publisher/1.2.0 node/24 shop/3.1 (https://shop.example)`; undefined in browsers, which send their
 * own.
 * @throws ConfigError `appInfo` does not fit into it.
 */
export function userAgentOf(variable: KeyVariable, appInfo: AppInfo | undefined): string | undefined {
  const { name, version: ofApp, url }: AppInfo = Object(appInfo)
  const fits = /^[\w.-]+$/.test(name) && /^[\w.+-]+$/.test(ofApp ?? '0') && /^[!-'*-~]+$/.test(url ?? '-')
  assertConfig(
    appInfo === undefined || (typeof name === 'string' && fits),
    '`appInfo` must be a name, an optional version and an optional URL, without spaces.',
  )
  const runtime = globalThis.navigator?.userAgent ?? ''
  if (runtime.startsWith('Mozilla/')) return undefined
  const sdk = `lead-distribution-${variable === 'LEAD_PUBLISHER_API_KEY' ? 'publisher' : 'advertiser'}/${version}`
  const app = appInfo && `${name}${ofApp ? `/${ofApp}` : ''}${url ? ` (${url})` : ''}`
  return [sdk, runtime.toLowerCase().replace('.js', ''), app].filter(Boolean).join(' ')
}
