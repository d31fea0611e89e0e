import {
  type Account,
  type Advertiser,
  acceptedPixelEvents,
  durationMs,
  keyHeader,
  type Settings,
  unmetCriteria,
} from '@lead-distribution/contract'
import {
  type AdvertiserNetwork,
  acceptedOf,
  type Clock,
  type LeadRecord,
  leadToken,
  type Offer,
  type Storage,
  type Via,
} from '@lead-distribution/engine'
import type { HttpRequest, HttpResponse } from '@lead-distribution/http'
import { advertiserLead, type BackendRequest, type ClosableEgress, isCutOff } from '../egress/guarded-egress.ts'
import { originHeader, originValue, type ToolOrigin } from '../origin.ts'
import type { ScheduledReport } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-tables.ts'
import type { TenantRecord } from '../storage/tenant-record.ts'
import type { Timer } from '../time/clock.ts'
import type { Urls } from '../urls.ts'

// The simulated advertisers: their offer responses, their reports, and the leads forwarded to their back ends.

/** Creates the sandbox's only advertiser network, simulated in process. Opens no connections. */
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

/** Schedules reports by the first advertiser that accepted the lead, if any. */
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

/** Sends due reports in order. After a crash, a report may be sent twice; the service ignores the repeat. */
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
  /** The form of the report. Default: the pixel if it accepts the event, otherwise the body. */
  readonly via?: Via | undefined
  /** The sandbox tool that requested the report. */
  readonly tool?: ToolOrigin | undefined
}

export type CallService = (request: HttpRequest) => Promise<HttpResponse | undefined>

/**
 * Reports an event through the real endpoint with the advertiser's own key or token. Undefined if there is no such
 * advertiser.
 */
export async function reportAsAdvertiser(
  { record, account }: { readonly record: TenantRecord; readonly account: Account },
  urls: Urls,
  call: CallService,
  { lead_id, advertiser_id, event, via = viaOf(event), tool }: AdvertiserReport,
): Promise<HttpResponse | undefined> {
  const advertiser = record.advertisers.find(other => other.advertiser_id === advertiser_id)
  if (!advertiser) return undefined
  const origin = tool && { [originHeader]: originValue(tool) }
  if (via === 'body')
    return call({
      method: account.settings.status_methods[0] ?? 'POST',
      target: statusPath(urls, lead_id),
      headers: { [keyHeader]: advertiser.api_key, 'content-type': 'application/json', ...origin },
      body: encoder.encode(JSON.stringify({ status: event, advertiser_id })),
    })
  const { postback_secret } = advertiser
  const token = await leadToken({ lead_id, advertiser_id, postback_secret }, account.settings.token_format)
  return firePixel(urls, call, lead_id, new URLSearchParams({ token, event }), origin)
}

/** Fires a lead's pixel through the real endpoint, as an advertiser's back end does. */
export function firePixel(
  urls: Urls,
  call: CallService,
  lead_id: string,
  query: URLSearchParams,
  headers: Readonly<Record<string, string>> = {},
) {
  return call({ method: 'GET', target: `${statusPath(urls, lead_id)}?${query}`, headers, body: new Uint8Array() })
}

/** Returns the path that the service knows: the sandbox may be mounted below another path. */
function statusPath(urls: Urls, lead_id: string): string {
  return urls.pixel(lead_id).slice(urls.origin.length)
}

const encoder = new TextEncoder()

function viaOf(event: string): Via {
  return (acceptedPixelEvents as readonly string[]).includes(event) ? 'pixel' : 'body'
}

/** How long a submission waits for advertisers' back ends, in milliseconds. Slower responses are recorded later. */
const forwardWaitMs = 1_000

/** A back end's timeout in milliseconds: the same as the default `callback_timeout`. */
const backendTimeoutMs = 10_000

/** Forwards leads to the advertisers' back ends on this machine. */
export interface LeadForwarding {
  /**
   * Posts a lead to the back end of each advertiser that has it, and records the responses. Resolves when that is done,
   * or after a second: an advertiser should know a lead before its customer arrives, but a slow one must not hold up the
   * submission. The responses don't affect the decision.
   */
  forward(leadId: string): Promise<void>
  /** Aborts the requests in flight; resolves when none are left. */
  stop(): Promise<void>
}

export interface LeadForwardingOptions {
  readonly storage: Storage<SandboxTables>
  readonly egress: ClosableEgress<BackendRequest>
  readonly account: () => Account
  readonly urls: Urls
  readonly timer: Timer
  readonly clock: Clock
  /** Monotonic milliseconds, for durations. */
  readonly steadyClock: Clock
  readonly onError: (error: unknown) => void
}

export function createLeadForwarding(options: LeadForwardingOptions): LeadForwarding {
  const { storage, egress, account, urls, timer, clock, steadyClock, onError } = options
  const inFlight = new Set<Promise<unknown>>()

  async function forwardToAll(leadId: string): Promise<void> {
    const lead = await storage.read(tables => tables.findLead(leadId))
    const accepted = acceptedOf(lead?.deliveries ?? []).map(async ({ advertiser_id }) => {
      const url = account().advertisers.find(other => other.advertiser_id === advertiser_id)?.backend_url
      const postback_url = await postbackUrl(urls, account(), leadId, advertiser_id)
      if (!lead || url === undefined || postback_url === undefined) return
      const { product_data } = lead.submission
      const [at, start] = [clock.now(), steadyClock.now()]
      const body = advertiserLead({ lead_id: leadId, postback_url, base_url: urls.base, product_data })
      const response = await egress.send({ url, lead: body, timeoutMs: backendTimeoutMs })
      // The lead may be gone, or another lead may have its id.
      if (isCutOff(response)) return
      const ms = steadyClock.now() - start
      await storage.transact(tables => tables.recordBackendResponse(leadId, advertiser_id, { at, ...response, ms }))
    })
    await Promise.all(accepted)
  }

  return {
    async forward(leadId) {
      if (account().advertisers.every(({ backend_url }) => backend_url === undefined)) return
      const work = forwardToAll(leadId).catch(onError)
      inFlight.add(work)
      const late = Promise.withResolvers<void>()
      const cancel = timer.after(forwardWaitMs, late.resolve)
      void work.finally(() => {
        inFlight.delete(work)
        cancel()
      })
      await Promise.race([work, late.promise])
    },
    stop: () => egress.closedWhile(async () => void (await Promise.all(inFlight))),
  }
}

/** Returns an advertiser's postback URL for a lead; undefined if the account does not have the advertiser. */
export async function postbackUrl(
  urls: Urls,
  { advertisers, settings }: Pick<Account, 'advertisers' | 'settings'>,
  lead_id: string,
  advertiser_id: string,
): Promise<string | undefined> {
  const advertiser = advertisers.find(other => other.advertiser_id === advertiser_id)
  if (!advertiser) return undefined
  const { postback_secret } = advertiser
  const token = await leadToken({ lead_id, advertiser_id, postback_secret }, settings.token_format)
  return `${urls.pixel(lead_id)}?token=${token}`
}
