import type { Settings } from '@lead-distribution/contract'
import {
  type Account,
  type Advertiser,
  acceptedPixelEvents,
  durationMs,
  keyHeader,
  unmetCriteria,
} from '@lead-distribution/contract'
import {
  type AdvertiserNetwork,
  acceptedOf,
  type LeadRecord,
  leadToken,
  type Offer,
  type Storage,
  type Via,
} from '@lead-distribution/engine'
import type { HttpRequest, HttpResponse } from '@lead-distribution/http'
import type { ScheduledReport } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-storage.ts'
import type { TenantRecord } from '../storage/tenant-record.ts'
import type { Urls } from '../urls.ts'

/** Creates the only network there is: simulated in process. Nothing here opens a connection. */
export function createAdvertiserNetwork(
  redirectUrl: (leadId: string, advertiserId: string) => string,
): AdvertiserNetwork {
  return {
    async offer(advertiser, offer) {
      const reasons = offer.forced ? [] : declineReasons(advertiser, offer)
      return reasons.length > 0
        ? { decision: 'declined', reasons }
        : { decision: 'accepted', redirect_url: redirectUrl(offer.lead_id, advertiser.advertiser_id) }
    },
  }
}

function declineReasons({ criteria }: Advertiser, { lead }: Offer): string[] {
  const { loan_amount, loan_term_months, loan_purpose } = lead.product_data
  const income = lead.customer.profile?.monthly_income
  const band = ({ min, max }: { min: number; max: number }) => `from ${min} to ${max}`
  const reasons = {
    loan_amount: () => `lends amounts ${band(criteria.loan_amount)} euros, not ${loan_amount}`,
    loan_term_months: () => `lends for terms ${band(criteria.loan_term_months)} months, not ${loan_term_months}`,
    loan_purposes_excluded: () => `does not lend for ${loan_purpose}`,
    minimum_monthly_income: () =>
      `lends to incomes of at least ${criteria.minimum_monthly_income} euros a month, not ${income}`,
  }
  return unmetCriteria(criteria, lead.product_data, income).map(name => reasons[name]())
}

/** Schedules the reports of the first advertiser that took a lead, if one did. */
export async function scheduleReports(
  lead: LeadRecord,
  lifecycle: Settings['lifecycle'],
  tables: SandboxTables,
): Promise<void> {
  const [advertiser] = acceptedOf(lead.deliveries)
  if (!advertiser) return
  for (const [index, { event, after }] of lifecycle.entries()) {
    await tables.addReport({
      report_id: `${lead.lead_id}/${index}`,
      lead_id: lead.lead_id,
      advertiser_id: advertiser.advertiser_id,
      event,
      due_at: lead.received_at + durationMs(after),
    })
  }
}

/** Makes due reports in order. After a crash a report may be made again; the service ignores the repeat. */
export async function makeReports(
  due: readonly ScheduledReport[],
  storage: Storage<SandboxTables>,
  report: (report: ScheduledReport) => Promise<void>,
): Promise<void> {
  for (const scheduled of due) {
    await report(scheduled)
    await storage.transact(tables => tables.removeReport(scheduled.report_id))
  }
}

export interface AdvertiserReport {
  readonly lead_id: string
  readonly advertiser_id: string
  readonly event: string
  /** The form of the report. Default: the pixel if it takes the event, else the body. */
  readonly via?: Via | undefined
}

export type CallService = (request: HttpRequest) => Promise<HttpResponse | undefined>

/** Reports an event through the real endpoint with the advertiser's own key or token. Undefined if there is no such advertiser. */
export async function reportAsAdvertiser(
  { record, account }: { readonly record: TenantRecord; readonly account: Account },
  urls: Urls,
  call: CallService,
  { lead_id, advertiser_id, event, via = viaOf(event) }: AdvertiserReport,
): Promise<HttpResponse | undefined> {
  const advertiser = record.advertisers.find(other => other.advertiser_id === advertiser_id)
  if (!advertiser) return undefined
  if (via === 'body')
    return call({
      method: account.settings.status_methods[0] ?? 'POST',
      target: statusPath(urls, lead_id),
      headers: { [keyHeader]: advertiser.api_key, 'content-type': 'application/json' },
      body: encoder.encode(JSON.stringify({ status: event, advertiser_id })),
    })
  const { postback_secret } = advertiser
  const token = await leadToken({ lead_id, advertiser_id, postback_secret }, account.settings.token_format)
  return firePixel(urls, call, lead_id, new URLSearchParams({ token, event }))
}

/** Fires the pixel of a lead through the real endpoint, as an advertiser's back end does. */
export function firePixel(urls: Urls, call: CallService, lead_id: string, query: URLSearchParams) {
  return call({ method: 'GET', target: `${statusPath(urls, lead_id)}?${query}`, headers: {}, body: new Uint8Array() })
}

/** Returns the path that the service knows: the sandbox may be mounted below another path. */
function statusPath(urls: Urls, lead_id: string): string {
  return urls.pixel(lead_id).slice(urls.origin.length)
}

const encoder = new TextEncoder()

function viaOf(event: string): Via {
  return (acceptedPixelEvents as readonly string[]).includes(event) ? 'pixel' : 'body'
}
