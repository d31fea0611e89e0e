/**
 * Test callbacks, genuine and forged. To test against the whole service without a server, use `fetch` of
 * `@lead-distribution/msw`.
 * @module @lead-distribution/publisher-sdk/testing
 */

import { callbackSignatureHeaders, callbackUrl, type EventName, isSigningSecret } from '@lead-distribution/contract'
import { ConfigError } from '@lead-distribution/sdk-core/errors'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'
import '@lead-distribution/sdk-core/preload'

/** A test callback. */
export interface TestCallback {
  /** The callback URL that the service's operator has, including the secret in its path. */
  readonly url: string
  /** Id of the lead, a UUID. */
  readonly lead_id: string
  /** The event, by a name of either vocabulary. The service sends `loan_issued` unless it is set up otherwise. */ // Spec 6.1
  readonly event: EventName | (string & Record<never, never>)
  /** The signing secret, `whsec_` and base64. Without it the callback is not signed. */
  readonly secret?: string | undefined
  /** The time when the callback is sent and signed. Default: now. */
  readonly at?: Date | undefined
  /** Its `webhook-id`, which retries share. Default: a new one. */
  readonly id?: string | undefined
  /** The secret in the path of `url`, made by `createCallbackUrl`. Only `forgeTestCallbacks` uses it. */
  readonly urlSecret?: string | undefined
}

const knownOptions = {
  url: 1,
  lead_id: 1,
  event: 1,
  secret: 1,
  at: 1,
  id: 1,
  urlSecret: 1,
} satisfies Known<TestCallback>

/**
 * Creates a callback as the service sends it: a GET of the callback URL with `lead_id` and `event` added to its query,
 * signed after Standard Webhooks if there is a secret. Pass it to a receiver or to `fetch`.
 * @throws ConfigError the URL is not absolute, or the secret is not a signing secret.
 * @example
 * ```ts
 * import { createTestCallback } from '@lead-distribution/publisher-sdk/testing'
 *
 * const callback = { url: callbackUrl, lead_id: crypto.randomUUID(), event: 'loan_issued' }
 * const { status } = await receive(await createTestCallback(callback)) // 200
 * ```
 */ // Spec 6.2
export async function createTestCallback(callback: TestCallback): Promise<Request> {
  checkOptions('`createTestCallback`', callback, knownOptions)
  return await callbackRequest(callbackTo(callback), callback)
}

/**
 * Creates a signing secret: `whsec_` and base64 of 32 random bytes.
 * @example
 * ```ts
 * import { createTestCallback, createTestSigningSecret } from '@lead-distribution/publisher-sdk/testing'
 *
 * const secret = createTestSigningSecret()
 * const callback = { url: callbackUrl, secret, lead_id: crypto.randomUUID(), event: 'loan_issued' }
 * const signed = await createTestCallback(callback)
 * ```
 */
export function createTestSigningSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`
}

/** Returns the address of a callback. @throws ConfigError the URL is not absolute. */
function callbackTo({ url, lead_id, event }: TestCallback): string {
  if (!URL.canParse(url)) throw new ConfigError('The `url` of a test callback must be an absolute URL.')
  return callbackUrl(url, lead_id, event)
}

/** Creates a request to this address, signed if there is a secret. @throws ConfigError it is not a signing secret. */
async function callbackRequest(url: string, signing: Pick<TestCallback, 'secret' | 'at' | 'id'>): Promise<Request> {
  const { secret, at = new Date(), id = crypto.randomUUID() } = signing
  if (secret === undefined) return new Request(url)
  if (!isSigningSecret(secret)) {
    throw new ConfigError(
      '`secret` must be `whsec_` and base64 of 24 to 64 bytes. Create one with `createTestSigningSecret`.',
    )
  }
  return new Request(url, { headers: await callbackSignatureHeaders({ secret, id, at: at.getTime(), url }) })
}

/** The flaws of a callback to any receiver. @inline */
type CallbackFlaw = 'post' | 'no_lead_id' | 'no_event' | 'lead_id_no_uuid' | 'repeated_lead_id' | 'repeated_event'

/** The flaws of a callback whose URL holds a secret. @inline */
type UrlSecretFlaw = 'wrong_url_secret' | 'no_url_secret'

/** The flaws of a callback that should be signed; a wrong time is a day off. @inline */
type SignatureFlaw = 'unsigned' | 'wrong_signature' | 'signed_for_other_lead' | 'signed_long_ago' | 'signed_ahead'

/** A forged callback for each flaw that a receiver of this callback must refuse. @inline */
type ForgedCallbacks<Of extends TestCallback> = Readonly<
  Record<
    | CallbackFlaw
    | (Of extends { readonly urlSecret: string } ? UrlSecretFlaw : never)
    | (Of extends { readonly secret: string } ? SignatureFlaw : never),
    Request
  >
>

const dayMs = 86_400_000

/**
 * Creates forged copies of a callback by their flaw; everything else about each is genuine, including its signature. A
 * receiver must refuse every one of them with a `4xx` and handle none.
 * @throws ConfigError the URL is not absolute or does not hold `urlSecret`, or the secret is not a signing secret.
 * @example
 * ```ts
 * import { forgeTestCallbacks } from '@lead-distribution/publisher-sdk/testing'
 *
 * const callback = { url: callbackUrl, urlSecret: callbackSecret, lead_id: crypto.randomUUID(), event: 'loan_issued' }
 * for (const [flaw, forged] of Object.entries(await forgeTestCallbacks(callback))) {
 *   const { status } = await receive(forged)
 *   if (status < 400) report(`accepted despite ${flaw}`)
 * }
 * ```
 */
export async function forgeTestCallbacks<const Of extends TestCallback>(callback: Of): Promise<ForgedCallbacks<Of>> {
  checkOptions('`forgeTestCallbacks`', callback, knownOptions)
  const { lead_id, event, secret, urlSecret, at = new Date() } = callback
  const url = callbackTo(callback)
  const other = crypto.randomUUID()
  const signed = (address: string, changes: Partial<TestCallback> = {}) =>
    callbackRequest(address, { ...callback, ...changes })
  const edited = (edit: (query: URLSearchParams) => void) => {
    const copy = new URL(url)
    edit(copy.searchParams)
    return signed(copy.href)
  }
  const forged: Partial<Record<CallbackFlaw | UrlSecretFlaw | SignatureFlaw, Request>> = {
    post: new Request(await signed(url), { method: 'POST' }),
    no_lead_id: await edited(query => query.delete('lead_id')),
    no_event: await edited(query => query.delete('event')),
    lead_id_no_uuid: await edited(query => query.set('lead_id', `${lead_id}0`)),
    repeated_lead_id: await edited(query => query.append('lead_id', other)),
    repeated_event: await edited(query => query.append('event', event)),
  }
  if (urlSecret !== undefined) {
    if (!urlSecret || !url.includes(`/${urlSecret}`))
      throw new ConfigError('The path of `url` must contain `urlSecret`.')
    const wrong = urlSecret.slice(0, -1) + (urlSecret.endsWith('A') ? 'B' : 'A')
    forged.wrong_url_secret = await signed(url.replace(urlSecret, wrong))
    forged.no_url_secret = await signed(url.replace(`/${urlSecret}`, ''))
  }
  if (secret !== undefined) {
    const { headers } = await signed(url)
    forged.unsigned = new Request(url)
    forged.wrong_signature = await signed(url, { secret: createTestSigningSecret() })
    forged.signed_for_other_lead = new Request(callbackTo({ ...callback, lead_id: other }), { headers })
    forged.signed_long_ago = await signed(url, { at: new Date(at.getTime() - dayMs) })
    forged.signed_ahead = await signed(url, { at: new Date(at.getTime() + dayMs) })
  }
  return forged as ForgedCallbacks<Of>
}
