import { keyHeader } from '@lead-distribution/contract'
import type { KeyVariable } from './api-key.ts'
import { assertConfig } from './errors.ts'
import { runtimeName } from './runtime.ts'
import { version } from './version.generated.ts'

/** The header with the id of the call. The service may log it. */
export const callIdHeader = 'x-request-id'

/** Additional request headers by name; `undefined` values are not sent. @inline */
export type RequestHeaders = Readonly<Record<string, string | undefined>>

/** The headers that the SDK itself sets. */
export const ownHeaders: readonly string[] = [keyHeader, callIdHeader, 'accept', 'content-type', 'user-agent']

/** Framing and connection headers. The runtime sets them; given other values, `fetch` fails or sends them. */
const runtimeHeaders = /^(transfer-encoding|content-length|connection|keep-alive|upgrade|expect|te|trailer|host)$/

/**
 * Merges the headers of the client and the call, with names in lower case; later ones override.
 * @throws ConfigError if they are not headers, or the SDK or the runtime sets one of them. The message repeats no
 * value, which may be a secret.
 */
export function resolveHeaders(...all: (RequestHeaders | undefined)[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const some of all) {
    const isPlain = some === undefined || (typeof some === 'object' && some && !(Symbol.iterator in some))
    assertConfig(isPlain, '`headers` must be an object of header names and strings.')
    for (const [key, value] of Object.entries(some ?? {})) {
      const name = key.toLowerCase()
      assertConfig(!ownHeaders.includes(name), `\`headers\` must not set ${name}: the SDK sets it.`)
      const advice = name === 'connection' ? ' For a fresh connection, set `keepAlive: false`.' : ''
      assertConfig(!runtimeHeaders.test(name), `\`headers\` must not set ${name}: the runtime sets it.${advice}`)
      const fits = value === undefined || (typeof value === 'string' && /^[\t\x20-\x7e\xa0-\xff]*$/.test(value))
      assertConfig(fits && /^[\w!#$%&'*+.^`|~-]+$/.test(name), '`headers` must be names and values that HTTP allows.')
      if (value === undefined) delete headers[name]
      else headers[name] = value
    }
  }
  return headers
}

/** Returns the `User-Agent`, such as `lead-distribution-publisher/1.2.0 node/24`; undefined in browsers, which send their own. */
export function userAgentOf(variable: KeyVariable): string | undefined {
  const sdk = variable === 'LEAD_PUBLISHER_API_KEY' ? 'publisher' : 'advertiser'
  const runtime = runtimeName()
  return runtime === undefined ? undefined : `lead-distribution-${sdk}/${version} ${runtime}`.trim()
}
