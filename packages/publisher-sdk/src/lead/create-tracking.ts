import { isUri, type Tracking } from '@lead-distribution/contract'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'
import { checkPart } from './validate-lead.ts'

/** The parameters of a landing page; the first that is filled in counts. */
const parameterNames = {
  click_id: ['click_id', 'clickid', 'gclid', 'gbraid', 'wbraid', 'msclkid', 'fbclid', 'ttclid'],
  sub_id: ['sub_id', 'subid'],
  campaign_id: ['campaign_id', 'utm_id', 'utm_campaign'],
} as const satisfies Record<Exclude<keyof Tracking, 'source'>, readonly string[]>

/** The options of {@link createTracking}. @inline */
type TrackingOrigin = {
  /** A field that you set overrides the URL. Empty text and an unfilled macro count as not set. */
  [Field in keyof Tracking]?: string | undefined
} & {
  /**
   * URL that the customer arrived at, including its query. A URL without an origin, such as Express's `originalUrl`, gives
   * ids but no `source`. An invalid URL gives nothing, because a browser may send anything.
   */
  url?: string | URL | undefined
  /** Your own names of query parameters, tried first: `{ click_id: 'cid' }`. */
  parameters?: { [Field in Exclude<keyof Tracking, 'source'>]?: string | undefined } | undefined
}

const ids = { click_id: 1, sub_id: 1, campaign_id: 1 } satisfies Known<typeof parameterNames>
const knownInOrigin = { ...ids, source: 1, url: 1, parameters: ids } satisfies Known<TrackingOrigin>

/**
 * Creates the tracking data of a lead from the landing page's URL: the id of the click (`gclid`, `msclkid`, `fbclid`,
 * `ttclid` …), the sub-id, the campaign (`utm_id`, else `utm_campaign`), and the page itself as `source`, without its
 * query, which may hold personal data. Empty values and macros that an ad network did not fill in (`{gclid}`, `[gclid]`,
 * `%%GCLID%%`, `__GCLID__`) are skipped.
 * @throws ValidationError the service would refuse a field that you set.
 * @throws ConfigError a name is unknown.
 * @example
 * ```ts
 * import { createTracking } from '@lead-distribution/publisher-sdk'
 *
 * createTracking({ url: 'https://publisher.example/loans?gclid=abc&utm_campaign=spring' })
 * // { click_id: 'abc', campaign_id: 'spring', source: 'https://publisher.example/loans' }
 * ```
 * @category Leads
 */ // Spec 2.10
export function createTracking(origin: TrackingOrigin): Tracking {
  checkOptions('`createTracking`', origin, knownInOrigin)
  const { url, parameters = {}, ...said } = origin
  const page = readUrl(url)
  const given = valuesOf(page)
  const tracking: Tracking = {}
  for (const [field, names] of Object.entries(parameterNames) as [keyof typeof parameterNames, readonly string[]][]) {
    const values = [parameters[field] ?? '', ...names].flatMap(name => given.get(name) ?? [])
    const value = [said[field], ...values].find(isFilled)
    if (value !== undefined) tracking[field] = value
  }
  const source = said.source || (page && sourceOf(page))
  if (source) tracking.source = source
  checkPart({ tracking })
  return tracking
}

/** The values of each parameter. A link that was copied from HTML has `amp;` before its names. */
function valuesOf(page: URL | undefined): Map<string, string[]> {
  const values = new Map<string, string[]>()
  for (const [name, value] of page?.searchParams ?? []) {
    const bare = name.replace(/^(amp;)+/, '')
    values.set(bare, [...(values.get(bare) ?? []), value])
  }
  return values
}

// `%%CAMPAIGN%%` reaches us with a replacement character, because `%CA` reads as an escape.
const macros = [
  /^\$?\{+[a-z][\w .:-]*\}+$/i,
  /^\[+[a-z][\w .:-]*\]+$/i,
  /^<[a-z][\w .:-]*>$/i,
  /^%[%\uFFFD][\w .:-]+%%$/,
  /^__[A-Z][A-Z\d]*(_[A-Z\d]+)*__$/,
]

/** Returns true for a value that is neither blank nor a macro of an ad network, perhaps escaped twice. */
function isFilled(value: string | undefined): value is string {
  if (typeof value !== 'string') return value != null // the check below refuses it
  const text = value.trim().replace(/%[57][BD]/gi, decodeURIComponent)
  return text !== '' && !macros.some(macro => macro.test(text))
}

// No page has this scheme, so a text without a scheme, such as `/loans` or `//other.example`, has no source.
const relative = 'ws://relative'

function readUrl(url: string | URL | undefined): URL | undefined {
  return url && URL.canParse(url, relative) ? new URL(url, relative) : undefined
}

function sourceOf({ protocol, origin, pathname }: URL): string | undefined {
  if (!/^https?:$/.test(protocol)) return undefined
  // Browsers allow more characters in a path, and in a host, than RFC 3986.
  return [origin + pathname, origin].find(isUri)
}
