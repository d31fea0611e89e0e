import { acceptedOf, type EventRecord, type LeadRecord, leadToken } from '@lead-distribution/engine'
import type { Urls } from '../../paths.ts'
import type { SandboxCallback } from '../../storage/records.ts'
import type { SandboxTables } from '../../storage/sandbox-storage.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import { callbackView } from '../callbacks/callback-view.ts'
import { iso } from '../context.ts'

/** All that belongs to one lead. */
export interface LeadDetails {
  readonly lead: LeadRecord
  readonly events: EventRecord[]
  readonly callbacks: SandboxCallback[]
}

/** Gathers all that belongs to a lead. */
export async function leadDetails(lead: LeadRecord, tables: SandboxTables): Promise<LeadDetails> {
  const { lead_id } = lead
  return { lead, events: await tables.listEvents(lead_id), callbacks: await tables.listCallbacks(lead_id) }
}

/** A lead as the control plane shows it, with the postback URL of each advertiser that has it. */
export async function leadView({ lead, events, callbacks }: LeadDetails, { account }: Tenant, urls: Urls) {
  const { lead_id, product_id, status, rejection_reason, received_at, submission, trace } = lead
  const accepted = acceptedOf(lead.deliveries)
  const deliveries = lead.deliveries.map(async delivery => {
    const advertiser = account.advertisers.find(({ advertiser_id }) => advertiser_id === delivery.advertiser_id)
    if (!advertiser || !accepted.includes(delivery)) return delivery
    const { advertiser_id, postback_secret } = advertiser
    const token = await leadToken({ lead_id, advertiser_id, postback_secret }, account.settings.token_format)
    return { ...delivery, postback_url: `${urls.pixel(lead_id)}?token=${token}` }
  })
  return {
    lead_id,
    product_id,
    status,
    rejection_reason,
    redirect_url: accepted[0]?.redirect_url,
    received_at: iso(received_at),
    submission,
    trace,
    deliveries: await Promise.all(deliveries),
    events: events.map(({ lead_id: _, recorded_at, ...event }) => ({ ...event, recorded_at: iso(recorded_at) })),
    callbacks: callbacks.map(callbackView),
  }
}
