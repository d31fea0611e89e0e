/**
 * Create test postback URLs. To test against the whole service without a server, use the `fetch` from
 * `@lead-distribution/msw`.
 * @module @lead-distribution/advertiser-sdk/testing
 */

import { canonicalUuid, type EventName, leadToken, usualTokenFormat as usual } from '@lead-distribution/contract'
import { resolveBaseUrl } from '@lead-distribution/sdk-core/address'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'
import '@lead-distribution/sdk-core/preload'

/**
 * The options of {@link createTestPostbackUrl}.
 * @category Options
 */
export interface TestPostback {
  /** Base URL of the service. Default: that of the in-process sandbox, `https://sandbox.leads.test/api/v1`. */
  readonly baseUrl?: string | undefined
  /** Id of the lead, a UUID. Default: a new one. */
  readonly lead_id?: string | undefined
  /** Id of the advertiser, a UUID. Default: a fixed one. */
  readonly advertiser_id?: string | undefined
  /** The secret shared with the advertiser; a wrong secret creates a forged URL. Default: `test_postback_secret`. */ // Spec 5
  readonly secret?: string | undefined
  /** The token's hash function. Default: SHA-256. */
  readonly hash?: 'SHA-256' | 'SHA-384' | 'SHA-512' | undefined
  /** The text between lead id and advertiser id in the hashed string. Default: `:`. */
  readonly joiner?: string | undefined
  /** The token's encoding. Default: hexadecimal digits. */
  readonly encoding?: 'hex' | 'base64' | 'base64url' | undefined
  /** An event that the URL already contains. Default: none. */
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
 * Creates a postback URL with its token, as the service delivers it with a lead. A service refuses the URL (`401`)
 * unless lead, advertiser, secret and format are its own.
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
  // The token signs the lead id in lower case, even if the URL has it in upper case (Spec 5).
  const subject = { lead_id: canonicalUuid(lead_id), advertiser_id, postback_secret: secret }
  const token = await leadToken(subject, { hash, joiner, encoding })
  const text = `${base}/lead/${lead_id}/status?token=${encodeURIComponent(token)}`
  return event === undefined ? text : `${text}&event=${encodeURIComponent(event)}`
}
