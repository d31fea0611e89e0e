/**
 * Create test callbacks for a receiver. To test against the whole service without a server, use the `fetch` from
 * `@lead-distribution/msw`.
 * @module @lead-distribution/publisher-sdk/testing
 */

import { callbackSignatureHeaders, callbackUrl, type EventName, isSigningSecret } from '@lead-distribution/contract'
import { ConfigError } from '@lead-distribution/sdk-core/errors'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'
import '@lead-distribution/sdk-core/preload'

export type { EventName } from '@lead-distribution/contract'

/** A test callback. @inline */
type TestCallback = {
  /** The callback URL, as registered with the service, including the secret in its path. */
  readonly url: string
  /** Id of the lead, a UUID. */
  readonly lead_id: string
  /** The event's name in either vocabulary. The service sends `loan_issued` unless configured otherwise. */ // Spec 6.1
  readonly event: EventName | (string & Record<never, never>)
  /** The signing secret, `whsec_` followed by base64. Without it the callback is unsigned. */
  readonly secret?: string | undefined
  /** When the callback is sent and signed. Default: now. */
  readonly at?: Date | undefined
  /** The `webhook-id`, which retries share. Default: a new one. */
  readonly id?: string | undefined
}

const knownOptions = { url: 1, lead_id: 1, event: 1, secret: 1, at: 1, id: 1 } satisfies Known<TestCallback>

/**
 * Creates a callback as the service sends it: a GET request to the callback URL with `lead_id` and `event` appended to
 * its query, signed according to Standard Webhooks if there is a secret. Pass it to a receiver or to `fetch`.
 * @throws ConfigError the URL is not absolute, or the secret is not a signing secret.
 * @example
 * ```ts
 * import { createTestCallback } from '@lead-distribution/publisher-sdk/testing'
 *
 * const callback = { url: callbackUrl, lead_id: crypto.randomUUID(), event: 'loan_issued' }
 * const { status } = await receive(await createTestCallback(callback)) // 200
 * ```
 * @category Testing
 */ // Spec 6.2
export async function createTestCallback(options: TestCallback): Promise<Request> {
  checkOptions('`createTestCallback`', options, knownOptions)
  const { lead_id, event, secret, at = new Date(), id = crypto.randomUUID() } = options
  if (!URL.canParse(options.url)) throw new ConfigError('The `url` of a test callback must be an absolute URL.')
  const url = callbackUrl(options.url, lead_id, event)
  if (secret === undefined) return new Request(url)
  if (!isSigningSecret(secret)) {
    throw new ConfigError(
      '`secret` must be `whsec_` and base64 of 24 to 64 bytes. Create one with `createTestSigningSecret`.',
    )
  }
  return new Request(url, { headers: await callbackSignatureHeaders({ secret, id, at: at.getTime(), url }) })
}

/**
 * Creates a signing secret: `whsec_` followed by 32 random bytes in base64.
 * @example
 * ```ts
 * import { createTestCallback, createTestSigningSecret } from '@lead-distribution/publisher-sdk/testing'
 *
 * const secret = createTestSigningSecret()
 * const callback = { url: callbackUrl, secret, lead_id: crypto.randomUUID(), event: 'loan_issued' }
 * const signed = await createTestCallback(callback)
 * ```
 * @category Testing
 */
export function createTestSigningSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`
}
