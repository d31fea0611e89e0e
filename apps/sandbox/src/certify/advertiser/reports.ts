import { canonicalEvent } from '@lead-distribution/contract'
import type { RecordedCall } from '../recorder.ts'

/** A call of the advertiser's application about a lead. Holds tokens: never printed. */
export interface ReportCall {
  readonly call: RecordedCall
  /** The first UUID of the path, in lower case. */
  readonly lead_id: string
  /** `pixel` where it has a token or no body by its method (Spec 4.3), else `body` (Spec 4.2). */
  readonly form: 'pixel' | 'body'
  /** The name that it gives the event. */
  readonly name: string | undefined
  /** The event under the name of the pixel's enumeration. */
  readonly event: string | undefined
  /** The token, decoded once. */
  readonly token: string | undefined
}

const uuidIn = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i

/** Reads a call as a report, to whichever path; undefined where its path names no lead. */
export function reportOf(call: RecordedCall): ReportCall | undefined {
  const [place = '', search = ''] = halves(call.target)
  const lead_id = uuidIn.exec(place)?.[0].toLowerCase()
  if (lead_id === undefined) return undefined
  const query = new URLSearchParams(search)
  const token = query.get('token') ?? undefined
  const form = token !== undefined || ['GET', 'HEAD'].includes(call.method) ? 'pixel' : 'body'
  const name = form === 'pixel' ? (query.getAll('event').at(-1) ?? undefined) : statusIn(call.body)
  return { call, lead_id, form, name, event: name && canonicalEvent(name), token }
}

/** Whether its sender got a 2xx. */
export function isTaken({ call: { response } }: ReportCall): boolean {
  return response !== undefined && response.broken === undefined && response.status >= 200 && response.status < 300
}

/** Whether its sender got a 4xx: the same again would get it again. */
export function isRefused({ call: { response } }: ReportCall): boolean {
  return response !== undefined && response.broken === undefined && response.status >= 400 && response.status < 500
}

/** A target as its path and its query. */
export function halves(target: string): readonly [path: string, query: string] {
  const place = target.indexOf('?')
  return place < 0 ? [target, ''] : [target.slice(0, place), target.slice(place + 1)]
}

/** The JSON object in a body; undefined where there is none. */
export function objectIn(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = JSON.parse(body)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

function statusIn(body: string): string | undefined {
  const status = objectIn(body)?.status
  return typeof status === 'string' ? status : undefined
}
