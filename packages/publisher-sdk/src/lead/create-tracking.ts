import { isUri, type Tracking } from '@lead-distribution/contract'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'
import { checkPart } from './validate-lead.ts'

/** The query parameters of a landing page for each field; the first one that is filled in counts. */
const parameterNames = {
  click_id: ['click_id', 'clickid', 'gclid', 'gbraid', 'wbraid', 'msclkid', 'fbclid', 'ttclid'],
  sub_id: ['sub_id', 'subid'],
  campaign_id: ['campaign_id', 'utm_id', 'utm_campaign'],
} as const satisfies Record<Exclude<keyof Tracking, 'source'>, readonly string[]>

/** The options of {@link createTracking}. @inline */
type TrackingOptions = {
  /** A field that you set overrides the URL. An empty string or an unfilled macro counts as not set. */
  [Field in keyof Tracking]?: string | undefined
} & {
  /**
   * URL of the landing page, including its query. A URL without an origin, such as Express's `originalUrl`, yields ids
   * but no `source`. An invalid URL yields nothing, because browsers may send anything.
   */
  url?: string | URL | undefined
  /** Your own query parameter names, tried first: `{ click_id: 'cid' }`. */
  parameters?: { [Field in Exclude<keyof Tracking, 'source'>]?: string | undefined } | undefined
}

const ids = { click_id: 1, sub_id: 1, campaign_id: 1 } satisfies Known<typeof parameterNames>
const knownOptions = { ...ids, source: 1, url: 1, parameters: ids } satisfies Known<TrackingOptions>

/**
 * Creates a lead's tracking data from the landing page's URL: the click id (`gclid`, `msclkid`, `fbclid`, `ttclid` …),
 * the sub-id, the campaign (`utm_id`, else `utm_campaign`), and the page itself as `source`, without its query, which
 * may contain personal data. Empty values and macros that an ad network left unfilled (`{gclid}`, `[gclid]`,
 * `%%GCLID%%`, `__GCLID__`) are skipped.
 * @throws ValidationError the service would reject a field that you set.
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
export function createTracking(options: TrackingOptions): Tracking {
  checkOptions('`createTracking`', options, knownOptions)
  const { url, parameters = {}, ...fields } = options
  const page = readUrl(url)
  const found = valuesOf(page)
  const tracking: Tracking = {}
  for (const [field, names] of Object.entries(parameterNames) as [keyof typeof parameterNames, readonly string[]][]) {
    const values = [parameters[field] ?? '', ...names].flatMap(name => found.get(name) ?? [])
    const value = [fields[field], ...values].find(isFilled)
    if (value !== undefined) tracking[field] = value
  }
  const source = fields.source || (page && sourceOf(page))
  if (source) tracking.source = source
  checkPart({ tracking })
  return tracking
}

/** The values of each parameter. In a link copied from HTML, names may start with `amp;`. */
function valuesOf(page: URL | undefined): Map<string, string[]> {
  const values = new Map<string, string[]>()
  for (const [name, value] of page?.searchParams ?? []) {
    const bare = name.replace(/^(amp;)+/, '')
    values.set(bare, [...(values.get(bare) ?? []), value])
  }
  return values
}

// `%%CAMPAIGN%%` arrives with a replacement character, because `%CA` parses as an escape.
const macros = [
  /^\$?\{+[a-z][\w .:-]*\}+$/i,
  /^\[+[a-z][\w .:-]*\]+$/i,
  /^<[a-z][\w .:-]*>$/i,
  /^%[%\uFFFD][\w .:-]+%%$/,
  /^__[A-Z][A-Z\d]*(_[A-Z\d]+)*__$/,
]

/** Returns true for a value that is neither blank nor an ad network's macro, even if it was escaped twice. */
function isFilled(value: string | undefined): value is string {
  if (typeof value !== 'string') return value != null // the check below rejects it
  const text = value.trim().replace(/%[57][BD]/gi, decodeURIComponent)
  return text !== '' && !macros.some(macro => macro.test(text))
}

// No page has this scheme, so a path without an origin, such as `/loans` or `//other.example`, yields no source.
const relative = 'ws://relative'

function readUrl(url: string | URL | undefined): URL | undefined {
  return url && URL.canParse(url, relative) ? new URL(url, relative) : undefined
}

function sourceOf({ protocol, origin, pathname }: URL): string | undefined {
  if (!/^https?:$/.test(protocol)) return undefined
  // Browsers allow more characters in paths and hosts than RFC 3986.
  return [origin + pathname, origin].find(isUri)
}
