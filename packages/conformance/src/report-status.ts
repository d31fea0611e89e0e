import { missingNeed, Unclear } from './conformance-case.ts'
import type { InterpretationOf, Point, Target, TargetResponse } from './target.ts'

/**
 * Returns the target's interpretation of a point.
 * @throws {Unclear} if it is unknown.
 */
export async function knownInterpretation<P extends Point>(target: Target, point: P): Promise<InterpretationOf[P]> {
  const { interpretation, known_by } = await target.finding(point)
  if (interpretation === undefined) throw new Unclear(known_by)
  return interpretation
}

/** Options of a status update. */
export interface ReportOptions {
  /** Index of the advertiser in the facts; default 0. */
  readonly advertiser?: number
  /** Default: a method that the target accepts. */
  readonly method?: 'POST' | 'PATCH'
  /** Sent in place of the advertiser's key. */
  readonly key?: string | undefined
}

/** Sends a status update (Spec 4.2): a status, or a whole body. */
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

/** Fires the pixel (Spec 4.3): a lead's postback URL with this event, and anything else to append to the query. */
export async function firePixel(target: Target, lead_id: string, event: string, more = ''): Promise<TargetResponse> {
  return target.call('GET', `${await target.postbackUrl(lead_id)}&event=${event}${more}`)
}

/**
 * Records an event that is on both lists, by status update or else by pixel.
 * @throws {Unclear} if the target accepts neither.
 */
export async function recordEvent(target: Target, lead_id: string, event: string): Promise<void> {
  const byBody = await reportStatus(target, lead_id, event)
  if (byBody.status === 200) return
  const hasPixel = missingNeed(['postback_secret'], target) === undefined
  const byPixel = hasPixel ? await firePixel(target, lead_id, event) : undefined
  if (byPixel?.status === 200) return
  const responses = `${byBody.status} to a status update${byPixel ? `, ${byPixel.status} to the pixel` : ''}`
  throw new Unclear(`The event ${event} could not be reported. Responses: ${responses}.`)
}
