import { ConfigError } from '@lead-distribution/sdk-core/callbacks'
import { callbackRequest, callbackTo, createTestSigningSecret, type TestCallback } from './test-callback.ts'

/** A right callback, for its wrong twins. */
export interface ForgeableCallback extends TestCallback {
  /** The secret in the path of `url`, as `createCallbackUrl` gives it. */
  readonly urlSecret?: string | undefined
}

/** What is wrong with a callback whoever it is for. */
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
 */
export async function forgeTestCallbacks<const Of extends ForgeableCallback>(
  callback: Of,
): Promise<ForgedCallbacks<Of>> {
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
