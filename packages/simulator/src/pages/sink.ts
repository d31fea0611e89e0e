import { type HttpResponse, jsonResponse } from '@lead-distribution/http'
import type { Inbox } from '../callbacks/inbox.ts'
import type { InboxEntry } from '../callbacks/inbox-entry.ts'
import { statusReply } from '../faults/disturb-call.ts'

/** A callback as it reaches a tenant's own inbox. */
export interface SunkCallback {
  readonly target: string
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Milliseconds since 1970 on the tenant's clock. */
  readonly received_at: number
}

/** Takes a callback into the inbox of a tenant, as a publisher's own receiver would. */
export async function sink(inbox: Inbox, callback: SunkCallback): Promise<HttpResponse> {
  const status = await inbox.take(readSunk(callback))
  return status < 300 ? jsonResponse(status, { taken: true }) : jsonResponse(status, statusReply(status).body)
}

/** What an inbox keeps of a callback. */
export function readSunk({ target, headers, received_at }: SunkCallback): Omit<InboxEntry, 'status'> {
  const query = new URLSearchParams(target.slice(target.indexOf('?') + 1))
  const signed = Object.entries(headers).filter(([name, value]) => name.startsWith('webhook-') && value !== undefined)
  return {
    received_at,
    lead_id: query.get('lead_id') ?? '',
    event: query.get('event') ?? '',
    target,
    headers: Object.fromEntries(signed) as Record<string, string>,
  }
}
