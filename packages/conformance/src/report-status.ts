import { missingNeed, Unclear } from './mismatch.ts'
import type { Target, TargetResponse } from './target.ts'

/** The advertiser, method and key of a report by body. */
export interface ReportOptions {
  /** The place of the advertiser among those that are known; the first by default. */
  readonly advertiser?: number
  /** By default one that the target takes. */
  readonly method?: 'POST' | 'PATCH'
  /** Sent instead of the advertiser's key. */
  readonly key?: string | undefined
}

/** Reports by body (Spec 4.2): a status, or a whole body. */
export async function reportStatus(
  target: Target,
  lead_id: string,
  report: unknown,
  options: ReportOptions = {},
): Promise<TargetResponse> {
  const method = options.method ?? (await target.interpretation('status_methods'))?.[0] ?? 'POST'
  const key = 'key' in options ? options.key : target.facts.advertisers[options.advertiser ?? 0]?.api_key
  const body = typeof report === 'string' ? { status: report } : report
  return target.call(method, `/lead/${lead_id}/status`, { key, body })
}

/** Fires the pixel (Spec 4.3): a lead's postback URL, with this event and what else the query shall carry. */
export async function firePixel(target: Target, lead_id: string, event: string, more = ''): Promise<TargetResponse> {
  return target.call('GET', `${await target.postbackUrl(lead_id)}&event=${event}${more}`)
}

/**
 * Has an event of both lists recorded, by the body or else by the pixel.
 * @throws {Unclear} where the target takes it by neither.
 */
export async function recordEvent(target: Target, lead_id: string, event: string): Promise<void> {
  const byBody = await reportStatus(target, lead_id, event)
  if (byBody.status === 200) return
  const hasPixel = missingNeed(['postback_secret'], target) === undefined
  const byPixel = hasPixel ? await firePixel(target, lead_id, event) : undefined
  if (byPixel?.status === 200) return
  const answers = [`by body ${byBody.status}`, ...(byPixel ? [`by pixel ${byPixel.status}`] : [])].join(', ')
  throw new Unclear(`No event could be reported on a lead: ${event} was answered ${answers}.`)
}
