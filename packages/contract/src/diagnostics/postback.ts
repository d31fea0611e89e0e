import {
  acceptedPixelEvents,
  canonicalEvent,
  convertedStatus,
  isLoopback,
  isSandboxHost,
  isUuid,
  keyHeader,
  maxRefLength,
} from '../index.ts'
import { closest, namedWithin } from './closest-name.ts'
import { uuidHint } from './value-hint.ts'

/** The checks of a postback URL, in the order in which the pixel makes them. */
export type PostbackCheck =
  | 'url'
  | 'origin'
  | 'path'
  | 'lead'
  | 'distribution'
  | 'key'
  | 'token'
  | 'event'
  | 'ref'
  | 'parameters'

/** The finding of one check. */
export interface PostbackFinding {
  /** The checked part. */
  readonly check: PostbackCheck
  /** `wrong`: the URL does not report an event. `warning`: it does, but something is not right. */
  readonly verdict: 'ok' | 'warning' | 'wrong'
  /** A full sentence. Never holds a token, key or secret. */
  readonly message: string
}

/** Creates a function that builds the findings of one check. */
export function findingOf(check: PostbackCheck) {
  return (verdict: PostbackFinding['verdict'], message: string): PostbackFinding => ({ check, verdict, message })
}

const placeholders = [/^[[{<(%#$]+\w[\w .-]*[\]}>)%#]+$/, /^\$\w+$/, /^__\w+__$/]

/**
 * Returns true if a text is a placeholder that an advertiser's platform should have filled in: `{event}`, `%%TOKEN%%`,
 * `${ref}`.
 */
export function isPlaceholder(text: string): boolean {
  return text.length <= 100 && placeholders.some(form => form.test(text))
}

/**
 * Parses the text as a URL and returns the finding about its form. Without a URL, there is nothing else to diagnose.
 */
export function diagnoseUrl(text: string): { readonly finding: PostbackFinding; readonly url?: URL } {
  const found = findingOf('url')
  const bare = text.trim()
  if (/[\s\\]/.test(bare))
    return { finding: found('wrong', 'The URL contains spaces, line breaks or backslashes: remove them.') }
  if (/^["'`<([{]/.test(bare))
    return { finding: found('wrong', 'The URL has quotes or brackets around it: remove them.') }
  if (/^https?(:|%3a)%2f/i.test(bare))
    return { finding: found('wrong', 'The whole URL is percent-encoded: use it as delivered.') }
  if (!/^https?:\/\/[^/]/i.test(bare) || !URL.canParse(bare)) {
    const instead = bare.startsWith('/') ? 'the base URL, such as http://127.0.0.1:4010,' : 'http:// or https://'
    return { finding: found('wrong', `The text is not an absolute URL: put ${instead} in front of it.`) }
  }
  return { url: new URL(bare), finding: found(...oddity(text, bare)) }
}

/** Returns the finding about parts that a URL parser ignores. */
function oddity(text: string, bare: string): [PostbackFinding['verdict'], string] {
  const { hash, username, password } = new URL(bare)
  if (hash !== '')
    return ['warning', 'The URL contains a #: nothing after it is sent. Write %23 if it is part of a value.']
  if (username !== '' || password !== '')
    return ['warning', 'The URL has a user name or password, which the service ignores. Remove it.']
  if (bare !== text) return ['warning', 'The URL has spaces around it: remove them.']
  if (/[^\x21-\x7e]/.test(bare))
    return ['warning', 'The URL contains non-ASCII characters, which are sent percent-encoded: write them that way.']
  return ['ok', 'The URL is absolute.']
}

/** Checks that the URL belongs to the sandbox at a base URL. A host that is not a sandbox counts as production. */
export function diagnoseOrigin(url: URL, base: URL): PostbackFinding {
  const found = findingOf('origin')
  const here = `the base URL is ${base.origin}`
  if (url.origin === base.origin) return found('ok', `The scheme, host and port match the base URL, ${base.origin}.`)
  const ofThisMachine = isLoopback(url.hostname) && isLoopback(base.hostname)
  if (url.hostname !== base.hostname && !ofThisMachine) {
    return found(
      'wrong',
      isSandboxHost(url.hostname) || url.protocol !== 'https:'
        ? `The host differs: ${here}.`
        : `The host differs and looks like production: ${here}, a sandbox, and each accepts only its own leads and tokens.`,
    )
  }
  if (url.protocol !== base.protocol) return found('wrong', `The scheme is ${url.protocol.slice(0, -1)}: ${here}.`)
  if (url.port !== base.port) return found('wrong', `The port differs: ${here}.`)
  return found('warning', `The host is another name of this machine: ${here}. Use the URL as delivered.`)
}

/** Returns the lead id from the path, decoded, and the finding about the path. */
export function diagnosePath(url: URL, base: URL): { readonly finding: PostbackFinding; readonly leadId?: string } {
  const found = findingOf('path')
  const prefix = base.pathname.replace(/\/$/, '')
  const wanted = `${prefix}/lead/{lead_id}/status`
  const below = url.pathname.startsWith(`${prefix}/`) ? url.pathname.slice(prefix.length) : ''
  const leadId = decoded(/^\/lead\/([^/]+)\/status$/.exec(below)?.[1] ?? '')
  if (leadId) return { leadId, finding: found('ok', `The path has the form ${wanted}.`) }
  return { finding: found('wrong', `${mistake(url.pathname, prefix)} The path of a postback URL is ${wanted}.`) }
}

function mistake(path: string, prefix: string): string {
  if (path.includes('/advertiser/')) return "This is the customer's redirect_url, not a postback_url."
  if (/%(?![0-9a-f]{2})/i.test(path))
    return 'The path contains a % that does not escape anything; perhaps a placeholder was not filled in.'
  if (/^\/lead\/[^/]+\/status$/.test(path)) return `The path is missing ${prefix}.`
  if (/^\/api\/v[^/]*\/lead\//.test(path) && !path.startsWith(`${prefix}/`)) return 'The path has another version.'
  if (path.includes('//')) return 'The path contains two consecutive slashes, or no lead_id between them.'
  if (path.endsWith('/')) return 'The path ends with a slash.'
  if (/\/leads\//i.test(path)) return 'The path has leads instead of lead.'
  if (path !== path.toLowerCase() && /\/lead\/[^/]+\/status$/i.test(path)) return 'The path has capital letters.'
  if (/\/lead\/[^/]+$/.test(path)) return 'The path is missing /status.'
  return 'This is not the path of a postback URL.'
}

/** Checks that the lead id is a UUID. */
export function diagnoseLeadId(leadId: string): PostbackFinding {
  const found = findingOf('lead')
  if (isPlaceholder(leadId))
    return found('wrong', 'The lead_id is a placeholder that was not filled in: use the URL delivered with the lead.')
  if (isUuid(leadId)) return found('ok', 'The lead_id is a UUID.')
  const hint = uuidHint(leadId)
  return found('wrong', `The lead_id is not a UUID${hint === undefined ? '.' : `: it ${hint}`}`)
}

/** Decodes percent escapes; returns undefined if one is malformed. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const pixelParameters = ['token', 'event', 'ref'] as const

/** Checks that the URL contains no API key. A key belongs in a header only. */ // Spec 5
export function diagnoseKey(query: URLSearchParams): PostbackFinding {
  const found = findingOf('key')
  if (query.has(keyHeader))
    return found(
      'wrong',
      `The URL contains an ${keyHeader}: keys are refused in URLs, and the pixel needs none. Remove it, and have the key rotated.`,
    )
  const alike = [...query.keys()].some(name => closest(name, [keyHeader]) !== undefined)
  return alike
    ? found('warning', 'The URL seems to contain an API key: remove it. The pixel needs none.')
    : found('ok', 'The URL contains no API key.')
}

/** Checks that the URL names one of the pixel's events. */ // Spec 4.3, 6.1
export function diagnoseEvent(query: URLSearchParams): PostbackFinding {
  const found = findingOf('event')
  const event = query.getAll('event').at(-1)
  const list = acceptedPixelEvents.join(', ')
  if (event === undefined)
    return found('wrong', `The parameter \`event\` is missing${mistakenName(query, 'event')}: add one of ${list}.`)
  const known = acceptedPixelEvents.find(name => name === event)
  if (known !== undefined) {
    const same = canonicalEvent(known)
    return found('ok', same === known ? `The event is ${known}.` : `The event is ${known}, another name for ${same}.`)
  }
  if (isPlaceholder(event)) return found('wrong', 'The event is a placeholder that the platform did not fill in.')
  if (event === convertedStatus)
    return found(
      'wrong',
      `The pixel does not accept ${convertedStatus}: report it by POST /lead/{lead_id}/status, or send one of ${list}.`,
    )
  const meant = closest(event, acceptedPixelEvents) ?? namedWithin(event, acceptedPixelEvents)
  return found(
    'wrong',
    meant === undefined ? `The event is not one of ${list}.` : `The event is unknown, did you mean \`${meant}\`?`,
  )
}

/** Returns the finding about the advertiser's own reference; undefined if there is none. */
export function diagnoseRef(query: URLSearchParams): PostbackFinding | undefined {
  const ref = query.getAll('ref').at(-1)
  if (ref === undefined) return undefined
  const found = findingOf('ref')
  if (ref.length > maxRefLength)
    return found('wrong', `\`ref\` must be at most ${maxRefLength} characters long (got ${ref.length}).`)
  if (isPlaceholder(ref))
    return found('warning', '`ref` is a placeholder that the platform did not fill in: it is recorded unchanged.')
  return found('ok', `\`ref\` is at most ${maxRefLength} characters long.`)
}

/** Returns the finding about all parameters: repeats, and those that the pixel ignores. */
export function diagnoseParameters(query: URLSearchParams): PostbackFinding {
  const found = findingOf('parameters')
  const names = [...new Set(query.keys())]
  const repeated = names.filter(name => query.getAll(name).length > 1)
  if (repeated.length > 0)
    return found('wrong', `Each parameter may appear only once: ${listed(repeated)} given more than once.`)
  if (names.some(name => name.startsWith('amp;')))
    return found('warning', 'The URL was copied from HTML: write & instead of &amp;.')
  const ignored = names.filter(name => !pixelParameters.some(known => known === name) && name !== keyHeader)
  if (ignored.length === 0) return found('ok', 'Each parameter appears once, and none is ignored.')
  return found(
    'warning',
    `The pixel ignores all parameters except ${pixelParameters.join(', ')}: it ignores ${ignored.length} here.`,
  )
}

/** Returns a clause if the query has the parameter under a similar name; otherwise an empty text. */
export function mistakenName(query: URLSearchParams, name: (typeof pixelParameters)[number]): string {
  const alike = [...query.keys()].some(key => key !== name && closest(key.replace(/^amp;/, ''), [name]) !== undefined)
  return alike ? `, but one has a similar name (use this exact spelling)` : ''
}

function listed(repeated: readonly string[]): string {
  const known = repeated.filter(name => pixelParameters.some(parameter => parameter === name))
  const list = known.map(name => `\`${name}\``).join(', ')
  if (known.length === 0) return 'one is'
  return `${list} ${known.length === 1 ? 'is' : 'are'}`
}
