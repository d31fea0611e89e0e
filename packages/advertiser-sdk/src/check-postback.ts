import { acceptedPixelEvents, isUuid, keyHeader, maxRefLength, sandboxKeyPrefix } from '@lead-distribution/contract'
import { isPlaceHolder } from '@lead-distribution/diagnostics/postback'
import { resolveBaseUrl } from '@lead-distribution/sdk-core/address'
import { ConfigError } from '@lead-distribution/sdk-core/errors'

/**
 * The lead's id in a postback URL of the service at this base address.
 * @throws ConfigError it is no such URL; the message repeats nothing of it, for it holds a token.
 */
export function checkPostback(raw: string, baseUrl: string | URL): string {
  const base = resolveBaseUrl({ baseUrl })
  // What a URL parser would drop or rewrite silently is refused: the text is sent as it stands.
  const isPlain = typeof raw === 'string' && /^[!-~]+$/.test(raw) && !/["<>\\]/.test(raw)
  const path = isPlain && URL.canParse(raw) && /^https?:\/\/[^/?#]+([^?#]*)/i.exec(raw)?.[1]
  if (typeof path !== 'string') throw wrong('is not an absolute URL without spaces')
  const url = new URL(raw)
  if (url.origin !== base.origin) throw wrong('is of another host, port or scheme than the base URL')
  if (url.username || url.password || raw.includes('#')) throw wrong('has credentials or a fragment')
  const [before, after] = [`${base.pathname.replace(/\/$/, '')}/lead/`, '/status']
  const lead = path.startsWith(before) && path.endsWith(after) ? path.slice(before.length, -after.length) : ''
  if (!isUuid(lead)) throw wrong('has another path than `/lead/{lead_id}/status` below the base URL')
  const query = url.searchParams
  if (query.has(keyHeader)) throw wrong('holds an API key, which belongs in no URL')
  const [token, event, ref] = ['token', 'event', 'ref'].map(name => query.get(name))
  if (!token) throw wrong('has no token')
  if (isPlaceHolder(token)) throw wrong('has a token that is a place-holder')
  if (token.startsWith(sandboxKeyPrefix)) throw wrong('has an API key for a token')
  if (new Set(query.keys()).size < query.size) throw wrong('has a parameter more than once')
  if (event != null && !acceptedPixelEvents.some(known => known === event)) throw wrong('has an unknown event')
  if (ref && ref.length > maxRefLength) throw wrong(`has a \`ref\` of more than ${maxRefLength} characters`)
  return lead
}

function wrong(what: string): ConfigError {
  return new ConfigError(`The postback URL ${what}. Use it just as it was delivered with the lead.`)
}
