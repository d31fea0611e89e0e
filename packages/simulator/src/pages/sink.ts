import { jsonReply, type WireReply } from '@lead-distribution/http'
import type { SandboxStorage } from '../ports/sandbox-storage.ts'

/** A callback as it reaches a tenant's own inbox. */
export interface SunkCallback {
  readonly target: string
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Milliseconds since 1970 on the tenant's clock. */
  readonly received_at: number
}

/** Takes a callback into the inbox of a tenant, as a publisher's own receiver would. */
export async function sink(storage: SandboxStorage, tenant: string, callback: SunkCallback): Promise<WireReply> {
  const { target, headers, received_at } = callback
  const query = new URLSearchParams(target.slice(target.indexOf('?') + 1))
  const signed = Object.entries(headers).filter(([name, value]) => name.startsWith('webhook-') && value !== undefined)
  await storage.addInboxEntry(tenant, {
    received_at,
    lead_id: query.get('lead_id') ?? '',
    event: query.get('event') ?? '',
    target,
    headers: Object.fromEntries(signed) as Record<string, string>,
  })
  return jsonReply(200, { taken: true })
}
