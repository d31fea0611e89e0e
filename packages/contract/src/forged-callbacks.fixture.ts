import { callbackSignatureHeaders, callbackUrl } from './events.ts'

/** A genuine callback: its URL, the secret in the URL's path and the signing secret, if any. */
interface GenuineCallback {
  readonly url: string
  readonly lead_id: string
  readonly event: string
  readonly urlSecret?: string
  readonly secret?: string
}

const dayMs = 86_400_000

/**
 * Creates forged copies of a callback, by their flaw. Everything else about each copy is genuine, including its
 * signature. A receiver must refuse each one with a `4xx` and handle none.
 */
export async function forgeCallbacks(genuine: GenuineCallback): Promise<Record<string, Request>> {
  const { event, lead_id, secret, urlSecret } = genuine
  const url = callbackUrl(genuine.url, lead_id, event)
  const other = crypto.randomUUID()
  const headersFor = (signed: string, key = secret, laterMs = 0) =>
    key ? callbackSignatureHeaders({ secret: key, id: other, at: Date.now() + laterMs, url: signed }) : {}
  const requestTo = async (address: string) => new Request(address, { headers: await headersFor(address) })
  const edited = (edit: (query: URLSearchParams) => void) => {
    const copy = new URL(url)
    edit(copy.searchParams)
    return requestTo(copy.href)
  }
  const forged: Record<string, Request> = {
    post: new Request(await requestTo(url), { method: 'POST' }),
    no_lead_id: await edited(query => query.delete('lead_id')),
    no_event: await edited(query => query.delete('event')),
    lead_id_no_uuid: await edited(query => query.set('lead_id', `${lead_id}0`)),
    repeated_lead_id: await edited(query => query.append('lead_id', other)),
    repeated_event: await edited(query => query.append('event', event)),
  }
  if (urlSecret) {
    const wrong = urlSecret.slice(0, -1) + (urlSecret.endsWith('A') ? 'B' : 'A')
    forged.wrong_url_secret = await requestTo(url.replace(urlSecret, wrong))
    forged.no_url_secret = await requestTo(url.replace(`/${urlSecret}`, ''))
  }
  if (secret) {
    const signed = async (key: string, laterMs = 0) =>
      new Request(url, { headers: await headersFor(url, key, laterMs) })
    forged.unsigned = new Request(url)
    forged.wrong_signature = await signed(`whsec_${btoa(other)}`)
    forged.signed_for_other_lead = new Request(url.replace(lead_id, other), { headers: await headersFor(url) })
    forged.signed_long_ago = await signed(secret, -dayMs)
    forged.signed_ahead = await signed(secret, dayMs)
  }
  return forged
}
