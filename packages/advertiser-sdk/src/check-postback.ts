import { isUuid } from '@lead-distribution/contract'
import { resolveBaseUrl } from '@lead-distribution/sdk-core/address'
import { ConfigError } from '@lead-distribution/sdk-core/errors'

/**
 * The lead's id in a postback URL of the service at this base address.
 * @throws ConfigError it is no such URL; the message repeats nothing of it, for it holds a token.
 */
export function checkPostback(raw: string, baseUrl: string): string {
  const base = resolveBaseUrl({ baseUrl })
  // What a URL parser would drop or rewrite silently is refused: the text is sent as it stands.
  if (typeof raw !== 'string' || !/^[\x21-\x7e]+$/.test(raw) || raw.includes('\\') || !URL.canParse(raw)) {
    throw wrong('is not an absolute URL without spaces')
  }
  const url = new URL(raw)
  if (url.origin !== base.origin) throw wrong('is of another host, port or scheme than the base URL')
  if (url.username || url.password || raw.includes('#')) throw wrong('has credentials or a fragment')
  const [lead = '', ...rest] = pathBelow(url.pathname, base.pathname)?.split('/') ?? []
  if (!isUuid(lead) || rest.join('/') !== 'status') {
    throw wrong('has another path than `/lead/{lead_id}/status` below the base URL')
  }
  if (!url.searchParams.get('token')) throw wrong('has no token')
  for (const name of ['token', 'event', 'ref']) {
    if (url.searchParams.getAll(name).length > 1) throw wrong(`has \`${name}\` more than once`)
  }
  return lead
}

function pathBelow(path: string, base: string): string | undefined {
  const prefix = `${base.replace(/\/$/, '')}/lead/`
  return path.startsWith(prefix) ? path.slice(prefix.length) : undefined
}

function wrong(what: string): ConfigError {
  return new ConfigError(`The postback URL ${what}. Use it just as it was delivered with the lead.`)
}
