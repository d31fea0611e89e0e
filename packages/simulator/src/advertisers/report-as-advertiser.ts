import { acceptedPixelEvents, keyHeader } from '@lead-distribution/contract'
import { type Account, leadToken, type Via } from '@lead-distribution/engine'
import type { HttpRequest, HttpResponse } from '@lead-distribution/http'
import type { Urls } from '../paths.ts'
import type { TenantRecord } from '../storage/tenant-record.ts'

/** An event that a simulated advertiser reports. */
export interface AdvertiserReport {
  readonly lead_id: string
  readonly advertiser_id: string
  readonly event: string
  /** The form; by default the pixel where it has the event, else the body. */
  readonly via?: Via | undefined
}

/** The service as an advertiser reaches it. */
export type CallService = (request: HttpRequest) => Promise<HttpResponse | undefined>

/** Reports an event through the real endpoint, with the advertiser's own key or token. Undefined where there is no such advertiser. */
export async function reportAsAdvertiser(
  { record, account }: { readonly record: TenantRecord; readonly account: Account },
  urls: Urls,
  call: CallService,
  { lead_id, advertiser_id, event, via = viaOf(event) }: AdvertiserReport,
): Promise<HttpResponse | undefined> {
  const advertiser = record.advertisers.find(other => other.advertiser_id === advertiser_id)
  if (!advertiser) return undefined
  // The path that the service knows: the sandbox may be mounted below another one.
  const pathname = urls.pixel(lead_id).slice(urls.origin.length)
  if (via === 'body')
    return call({
      method: account.settings.status_methods[0] ?? 'POST',
      target: pathname,
      headers: { [keyHeader]: advertiser.api_key, 'content-type': 'application/json' },
      body: encoder.encode(JSON.stringify({ status: event, advertiser_id })),
    })
  const { postback_secret } = advertiser
  const token = await leadToken({ lead_id, advertiser_id, postback_secret }, account.settings.token_format)
  const query = new URLSearchParams({ token, event })
  return call({ method: 'GET', target: `${pathname}?${query}`, headers: {}, body: new Uint8Array() })
}

const encoder = new TextEncoder()

function viaOf(event: string): Via {
  return (acceptedPixelEvents as readonly string[]).includes(event) ? 'pixel' : 'body'
}
