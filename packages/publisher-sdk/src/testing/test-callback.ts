import { callbackSignatureHeaders, callbackUrl, type EventName } from '@lead-distribution/contract'
import type { Open } from '@lead-distribution/sdk-core'
import { ConfigError, isSigningSecret } from '@lead-distribution/sdk-core/callbacks'

/** A callback that a test plays. */
export interface TestCallback {
  /** The callback URL as the service's operator has it, a secret in its path included. */
  readonly url: string
  /** Id of the lead, a UUID. */
  readonly lead_id: string
  /** What happened, by a name of either list (Spec 6.1). The service says `loan_issued` unless set otherwise. */
  readonly event: Open<EventName>
  /** Signs the callback: `whsec_` and base64. Without it nothing is signed. */
  readonly secret?: string | undefined
  /** When it is sent and signed. Default now. */
  readonly at?: Date | undefined
  /** Its `webhook-id`, the same for its retries. Default: a new one. */
  readonly id?: string | undefined
}

/**
 * A callback as the service sends it (Spec 6.2): a GET of the callback URL, its query kept, with `lead_id` and
 * `event`, signed after Standard Webhooks where there is a secret. Hand it to a receiver, or to `fetch`.
 * @throws ConfigError the URL is not absolute, or the secret is no signing secret.
 */
export async function createTestCallback(callback: TestCallback): Promise<Request> {
  return await callbackRequest(callbackTo(callback), callback)
}

/** A new signing secret: `whsec_` and base64 of 32 random bytes. */
export function createTestSigningSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`
}

/** The address of a callback. @throws ConfigError */
export function callbackTo({ url, lead_id, event }: TestCallback): string {
  if (!URL.canParse(url)) throw new ConfigError('The `url` of a test callback must be absolute.')
  return callbackUrl(url, lead_id, event)
}

/** The request of a callback to this address, signed where there is a secret. @throws ConfigError */
export async function callbackRequest(
  url: string,
  signing: Pick<TestCallback, 'secret' | 'at' | 'id'>,
): Promise<Request> {
  const { secret, at = new Date(), id = crypto.randomUUID() } = signing
  if (secret === undefined) return new Request(url)
  if (!isSigningSecret(secret)) {
    throw new ConfigError(
      '`secret` must be `whsec_` and base64 of 24 to 64 bytes. Make one with `createTestSigningSecret`.',
    )
  }
  return new Request(url, { headers: await callbackSignatureHeaders({ secret, id, at: at.getTime(), url }) })
}
