import { callbackSignatureHeaders, callbackUrl, type EventName } from '@lead-distribution/contract'
import type { Open } from '@lead-distribution/sdk-core'
import { ConfigError, isSigningSecret } from '@lead-distribution/sdk-core/callbacks'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'

/** A callback of a test. */
export interface TestCallback {
  /** The callback URL as the service's operator has it, a secret in its path included. */
  readonly url: string
  /** Id of the lead, a UUID. */
  readonly lead_id: string
  /** What happened, by a name of either list. The service says `loan_issued` unless set otherwise. */ // Spec 6.1
  readonly event: Open<EventName>
  /** Signs the callback: `whsec_` and base64. Without it nothing is signed. */
  readonly secret?: string | undefined
  /** When it is sent and signed. Default now. */
  readonly at?: Date | undefined
  /** Its `webhook-id`, the same for its retries. Default: a new one. */
  readonly id?: string | undefined
}

/** Options of right and forged callbacks: one object serves both. */
const knownOptions = {
  url: 1,
  lead_id: 1,
  event: 1,
  secret: 1,
  at: 1,
  id: 1,
  urlSecret: 1,
} satisfies Known<ForgeableCallback>

/**
 * A callback as the service sends it: a GET of the callback URL, its query kept, with `lead_id` and
 * `event`, signed after Standard Webhooks where there is a secret. Hand it to a receiver, or to `fetch`.
 * @throws ConfigError the URL is not absolute, or the secret is no signing secret.
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
 * A new signing secret: `whsec_` and base64 of 32 random bytes.
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

/** The address of a callback. @throws ConfigError */
function callbackTo({ url, lead_id, event }: TestCallback): string {
  if (!URL.canParse(url)) throw new ConfigError('The `url` of a test callback must be absolute.')
  return callbackUrl(url, lead_id, event)
}

/** The request of a callback to this address, signed where there is a secret. @throws ConfigError */
async function callbackRequest(url: string, signing: Pick<TestCallback, 'secret' | 'at' | 'id'>): Promise<Request> {
  const { secret, at = new Date(), id = crypto.randomUUID() } = signing
  if (secret === undefined) return new Request(url)
  if (!isSigningSecret(secret)) {
    throw new ConfigError(
      '`secret` must be `whsec_` and base64 of 24 to 64 bytes. Make one with `createTestSigningSecret`.',
    )
  }
  return new Request(url, { headers: await callbackSignatureHeaders({ secret, id, at: at.getTime(), url }) })
}

/** A right callback, for its wrong twins. */
export interface ForgeableCallback extends TestCallback {
  /** The secret in the path of `url`, as `createCallbackUrl` gives it. */
  readonly urlSecret?: string | undefined
}

/** What is wrong with a callback to any receiver. */
export type CallbackFlaw =
  | 'post'
  | 'no_lead_id'
  | 'no_event'
  | 'lead_id_no_uuid'
  | 'repeated_lead_id'
  | 'repeated_event'

/** What is wrong with a callback whose URL holds a secret. */
export type UrlSecretFlaw = 'wrong_url_secret' | 'no_url_secret'

/** What is wrong with a callback that ought to be signed; those with a wrong time are a day off. */
export type SignatureFlaw =
  | 'unsigned'
  | 'wrong_signature'
  | 'signed_for_other_lead'
  | 'signed_long_ago'
  | 'signed_ahead'

/** A wrong callback for each flaw that a receiver of this callback must refuse. */
export type ForgedCallbacks<Of extends ForgeableCallback> = Readonly<
  Record<
    | CallbackFlaw
    | (Of extends { readonly urlSecret: string } ? UrlSecretFlaw : never)
    | (Of extends { readonly secret: string } ? SignatureFlaw : never),
    Request
  >
>

const dayMs = 86_400_000

/**
 * The wrong twins of a right callback, by what is wrong with them; all else is right, the signature too. A receiver
 * must refuse every one of them, with a `4xx` and without handling anything.
 * @throws ConfigError the URL is not absolute or does not hold `urlSecret`, or the secret is no signing secret.
 * @example
 * ```ts
 * import { forgeTestCallbacks } from '@lead-distribution/publisher-sdk/testing'
 *
 * const callback = { url: callbackUrl, urlSecret: callbackSecret, lead_id: crypto.randomUUID(), event: 'loan_issued' }
 * for (const [flaw, forged] of Object.entries(await forgeTestCallbacks(callback))) {
 *   const { status } = await receive(forged)
 *   if (status < 400) report(`taken, in spite of ${flaw}`)
 * }
 * ```
 */
export async function forgeTestCallbacks<const Of extends ForgeableCallback>(
  callback: Of,
): Promise<ForgedCallbacks<Of>> {
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
    if (!urlSecret || !url.includes(`/${urlSecret}`)) throw new ConfigError('The path of `url` must hold `urlSecret`.')
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
