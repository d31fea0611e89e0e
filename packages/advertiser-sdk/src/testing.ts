/**
 * Test postback URLs, genuine and forged. To test against the whole service without a server, use `fetch` of
 * `@lead-distribution/msw`.
 * @module @lead-distribution/advertiser-sdk/testing
 */

import {
  canonicalUuid,
  type EventName,
  leadToken,
  type TokenFormat,
  type TokenSubject,
  usualTokenFormat as usual,
} from '@lead-distribution/contract'
import { resolveBaseUrl } from '@lead-distribution/sdk-core/address'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'
import '@lead-distribution/sdk-core/preload'

/** A test postback URL. */
export interface TestPostback {
  /** Base address of the service. Default: that of the in-process sandbox, `https://sandbox.leads.test/api/v1`. */
  readonly baseUrl?: string | undefined
  /** Id of the lead, a UUID. Default: a new one. */
  readonly lead_id?: string | undefined
  /** Id of the advertiser, a UUID. Default: a fixed one. */
  readonly advertiser_id?: string | undefined
  /** The secret shared with the advertiser. Default: `test_postback_secret`. */ // Spec 5
  readonly secret?: string | undefined
  /** The hash of the token. Default: SHA-256. */
  readonly hash?: 'SHA-256' | 'SHA-384' | 'SHA-512' | undefined
  /** The text between lead id and advertiser id. Default: `:`. */
  readonly joiner?: string | undefined
  /** The encoding of the token. Default: hexadecimal digits. */
  readonly encoding?: 'hex' | 'base64' | 'base64url' | undefined
  /** The event that the URL already has. Default: none. */
  readonly event?: EventName | (string & Record<never, never>) | undefined
}

const knownInPostback = {
  baseUrl: 1,
  lead_id: 1,
  advertiser_id: 1,
  secret: 1,
  hash: 1,
  joiner: 1,
  encoding: 1,
  event: 1,
} satisfies Known<TestPostback>

/** The flaws of a postback URL: of the URL itself, or of its token, which only the service can see. @inline */
type PostbackFlaw =
  | 'other_host'
  | 'lead_id_no_uuid'
  | 'no_token'
  | 'repeated_token'
  | 'unknown_event'
  | 'cut_token'
  | 'token_escaped_twice'
  | 'token_of_other_lead'
  | 'token_of_other_advertiser'
  | 'token_of_wrong_secret'

/** The parts of a postback URL. */
interface PostbackParts {
  readonly base: URL
  readonly subject: TokenSubject
  readonly format: TokenFormat
  readonly event: string | undefined
}

/**
 * Creates a postback URL with its token, as the service delivers it with a lead.
 * @throws ConfigError `baseUrl` is not an http or https URL.
 * @example
 * ```ts
 * import { createAdvertiser } from '@lead-distribution/advertiser-sdk'
 * import { createTestPostbackUrl } from '@lead-distribution/advertiser-sdk/testing'
 *
 * const baseUrl = 'https://sandbox.leads.test/api/v1'
 * const advertiser = createAdvertiser({ baseUrl, apiKey: 'sandbox_key' })
 * const url = advertiser.parsePostbackUrl(await createTestPostbackUrl({ baseUrl }))
 * ```
 */ // Spec 4.3, 5
export async function createTestPostbackUrl(postback: TestPostback = {}): Promise<string> {
  checkOptions('`createTestPostbackUrl`', postback, knownInPostback)
  const parts = partsOf(postback)
  return written(parts, await tokenFor(parts))
}

/**
 * Creates forged copies of a postback URL by their flaw. Each fails to parse, to be fired, or to be accepted (`401`).
 * @throws ConfigError `baseUrl` is not an http or https URL.
 * @example
 * ```ts
 * import { forgeTestPostbackUrls } from '@lead-distribution/advertiser-sdk/testing'
 *
 * for (const [flaw, url] of Object.entries(await forgeTestPostbackUrls())) report(`${flaw}: ${url.length} characters`)
 * ```
 */
export async function forgeTestPostbackUrls(
  postback: TestPostback = {},
): Promise<Readonly<Record<PostbackFlaw, string>>> {
  checkOptions('`forgeTestPostbackUrls`', postback, knownInPostback)
  const parts = partsOf(postback)
  const { base, subject } = parts
  const token = await tokenFor(parts)
  const right = written(parts, token)
  const tokenWith = async (change: Partial<TokenSubject>) => written(parts, await tokenFor(parts, change))
  return {
    other_host: right.replace(base.host, 'other.invalid'),
    lead_id_no_uuid: written({ ...parts, subject: { ...subject, lead_id: 'lead-1' } }, token),
    no_token: right.replace(/token=[^&]*&?/, ''),
    repeated_token: `${right}&token=${encodeURIComponent(token)}`,
    unknown_event: written({ ...parts, event: 'no_such_event' }, token),
    cut_token: written(parts, token.slice(0, -1)),
    token_escaped_twice: written(parts, `%${token.charCodeAt(0).toString(16)}${token.slice(1)}`),
    token_of_other_lead: await tokenWith({ lead_id: crypto.randomUUID() }),
    token_of_other_advertiser: await tokenWith({ advertiser_id: crypto.randomUUID() }),
    token_of_wrong_secret: await tokenWith({ postback_secret: crypto.randomUUID() }),
  }
}

function partsOf(postback: TestPostback): PostbackParts {
  const { baseUrl = 'https://sandbox.leads.test/api/v1', lead_id = crypto.randomUUID(), event } = postback
  const { hash = usual.hash, joiner = usual.joiner, encoding = usual.encoding } = postback
  return {
    base: resolveBaseUrl({ baseUrl }),
    subject: {
      lead_id,
      advertiser_id: postback.advertiser_id ?? '70000000-0000-4000-8000-000000000004',
      postback_secret: postback.secret ?? 'test_postback_secret',
    },
    format: { hash, joiner, encoding },
    event,
  }
}

function tokenFor({ subject, format }: PostbackParts, change: Partial<TokenSubject> = {}): Promise<string> {
  // Signed over the id in lower case, whatever case it is written in (Spec 5).
  return leadToken({ ...subject, lead_id: canonicalUuid(subject.lead_id), ...change }, format)
}

function written({ base, subject, event }: PostbackParts, token: string): string {
  const text = `${base.href.replace(/\/$/, '')}/lead/${subject.lead_id}/status?token=${encodeURIComponent(token)}`
  return event === undefined ? text : `${text}&event=${encodeURIComponent(event)}`
}
