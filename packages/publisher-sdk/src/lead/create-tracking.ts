import { isUri, type Tracking } from '@lead-distribution/contract'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'
import { checkPart } from './validate-lead.ts'

/** The parameters of a landing page; the first one that is not empty counts. */
const parameterNames = {
  click_id: ['click_id', 'clickid', 'gclid', 'gbraid', 'wbraid', 'msclkid', 'fbclid', 'ttclid'],
  sub_id: ['sub_id', 'subid'],
  campaign_id: ['campaign_id', 'utm_id', 'utm_campaign'],
} as const satisfies Record<Exclude<keyof Tracking, 'source'>, readonly string[]>

/** What {@link createTracking} takes. */
export type TrackingOrigin = {
  /** A field that you set wins over the URL. Empty text counts as not set: forms send it. */
  [Field in keyof Tracking]?: string | undefined
} & {
  /**
   * URL that the customer arrived at, whole, with its query. One without an origin, such as Express's
   * `originalUrl`, gives ids but no `source`. One that cannot be read gives nothing: a browser sends it, and may send anything.
   */
  url?: string | URL | undefined
  /** Your own names of the query's parameters, looked for first: `{ click_id: 'cid' }`. */
  parameters?: { [Field in Exclude<keyof Tracking, 'source'>]?: string | undefined } | undefined
}

const ids = { click_id: 1, sub_id: 1, campaign_id: 1 } satisfies Known<typeof parameterNames>
const knownInOrigin = { ...ids, source: 1, url: 1, parameters: ids } satisfies Known<TrackingOrigin>

/**
 * Where a lead comes from, out of the landing page's URL: the id of the click (`gclid`, `msclkid`, `fbclid`,
 * `ttclid` …), the sub-id, the campaign (`utm_id`, else `utm_campaign`), and the page itself as `source`, without its
 * query, which may hold personal data.
 * @throws ValidationError the service would refuse a field that you set.
 * @throws ConfigError a name is unknown.
 * @example
 * ```ts
 * import { createTracking } from '@lead-distribution/publisher-sdk'
 *
 * createTracking({ url: 'https://publisher.example/loans?gclid=abc&utm_campaign=spring' })
 * // { click_id: 'abc', campaign_id: 'spring', source: 'https://publisher.example/loans' }
 * ```
 */ // Spec 2.10
export function createTracking(origin: TrackingOrigin): Tracking {
  checkOptions('`createTracking`', origin, knownInOrigin)
  const { url, parameters = {}, ...said } = origin
  const page = readUrl(url)
  const tracking: Tracking = {}
  const set = (field: keyof Tracking, found: string | null | undefined) => {
    const value = said[field] || found
    if (value) tracking[field] = value
  }
  for (const [field, names] of Object.entries(parameterNames) as [keyof typeof parameterNames, readonly string[]][]) {
    const known = [parameters[field] ?? '', ...names]
    set(field, known.map(name => page?.searchParams.get(name)).find(Boolean))
  }
  set('source', page && sourceOf(page))
  checkPart({ tracking })
  return tracking
}

// No page has this scheme, so that a text without one, such as `/loans` or `//other.example`, has no source.
const relative = 'ws://relative'

function readUrl(url: string | URL | undefined): URL | undefined {
  return url && URL.canParse(url, relative) ? new URL(url, relative) : undefined
}

function sourceOf({ protocol, origin, pathname }: URL): string | undefined {
  if (!/^https?:$/.test(protocol)) return undefined
  // Browsers write more into a path than an RFC 3986 URI may hold.
  return isUri(origin + pathname) ? origin + pathname : origin
}
