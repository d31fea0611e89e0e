/**
 * Test postback URLs. To test against the whole service without a server, use `fetch` of `@lead-distribution/msw`.
 * @module @lead-distribution/advertiser-sdk/testing
 */

import { canonicalUuid, type EventName, leadToken, usualTokenFormat as usual } from '@lead-distribution/contract'
import { resolveBaseUrl } from '@lead-distribution/sdk-core/address'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'
import '@lead-distribution/sdk-core/preload'

/**
 * A test postback URL.
 * @category Options
 */
export interface TestPostback {
  /** Base address of the service. Default: that of the in-process sandbox, `https://sandbox.leads.test/api/v1`. */
  readonly baseUrl?: string | undefined
  /** Id of the lead, a UUID. Default: a new one. */
  readonly lead_id?: string | undefined
  /** Id of the advertiser, a UUID. Default: a fixed one. */
  readonly advertiser_id?: string | undefined
  /** The secret shared with the advertiser; another one makes a forged URL. Default: `test_postback_secret`. */ // Spec 5
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

/**
 * Creates a postback URL with its token, as the service delivers it with a lead. A service refuses it (`401`) unless lead,
 * advertiser, secret and format are its own.
 * @throws ConfigError `baseUrl` is not an http or https URL, or an option is unknown.
 * @example
 * ```ts
 * import { createAdvertiser } from '@lead-distribution/advertiser-sdk'
 * import { createTestPostbackUrl } from '@lead-distribution/advertiser-sdk/testing'
 *
 * const baseUrl = 'https://sandbox.leads.test/api/v1'
 * const advertiser = createAdvertiser({ baseUrl, apiKey: 'sandbox_key' })
 * const url = advertiser.parsePostbackUrl(await createTestPostbackUrl({ baseUrl }))
 * ```
 * @category Testing
 */ // Spec 4.3, 5
export async function createTestPostbackUrl(options: TestPostback = {}): Promise<string> {
  checkOptions('`createTestPostbackUrl`', options, knownInPostback)
  const { baseUrl = 'https://sandbox.leads.test/api/v1', lead_id = crypto.randomUUID(), event } = options
  const { advertiser_id = '70000000-0000-4000-8000-000000000004', secret = 'test_postback_secret' } = options
  const { hash = usual.hash, joiner = usual.joiner, encoding = usual.encoding } = options
  const base = resolveBaseUrl({ baseUrl }).href.replace(/\/$/, '')
  // Signed over the id in lower case, whatever case it is written in (Spec 5).
  const subject = { lead_id: canonicalUuid(lead_id), advertiser_id, postback_secret: secret }
  const token = await leadToken(subject, { hash, joiner, encoding })
  const text = `${base}/lead/${lead_id}/status?token=${encodeURIComponent(token)}`
  return event === undefined ? text : `${text}&event=${encodeURIComponent(event)}`
}
