import type { EventRecord, LeadRecord } from '@lead-distribution/engine'
import { createTenantMemory, storageOf } from './memory-tables.ts'
import type { AgeMark, InboxEntry, RequestRecord, SandboxCallback, ScheduledReport } from './records.ts'
import type { SandboxTables } from './sandbox-tables.ts'
import type { TenantRecord } from './tenant-record.ts'

/** Creates the in-memory tables of an empty tenant, which stay usable outside a transaction. */
export const openTables = (): Promise<SandboxTables> => storageOf(createTenantMemory()).transact(async tables => tables)

/** A minimal tenant. */
export function tenantRecord(tenant: string): TenantRecord {
  return {
    tenant,
    seed: `seed of ${tenant}`,
    created_at: 1_700_000_000_000,
    publisher: { publisher_id: 'publisher-1', api_key: 'key-1', callback_secret: 'whsec_c2VjcmV0' },
    advertisers: [],
    products: [],
    blacklist: [],
    settings: {},
    created_from: { settings: {} },
  }
}

/** A lead with every field. */
export function leadRecord(lead_id: string, more: Partial<LeadRecord> = {}): LeadRecord {
  return {
    lead_id,
    product_id: 'p1',
    email: `${lead_id}@example.com`,
    status: 'distributed',
    received_at: 1_700_000_000_001,
    submission: {
      product_id: 'p1',
      publisher_id: 'publisher-1',
      customer: { personal_data: { first_name: 'Ana', last_name: 'García' } },
    } as LeadRecord['submission'],
    trace: [{ check: 'shape', verdict: 'passed' }],
    deliveries: [
      {
        advertiser_id: 'a1',
        name: 'One',
        decision: 'accepted',
        reasons: [],
        redirect_url: 'https://advertiser.example/?b=%20',
      },
    ],
    ...more,
  }
}

/** An event of a lead. */
export function eventRecord(lead_id: string, event: string, more: Partial<EventRecord> = {}): EventRecord {
  return {
    lead_id,
    advertiser_id: 'a1',
    event,
    reported_as: event,
    via: 'pixel',
    recorded_at: 1_700_000_000_002,
    ...more,
  }
}

/** A callback that is due at 100. */
export function callbackRecord(
  callback_id: string,
  lead_id: string,
  more: Partial<SandboxCallback> = {},
): SandboxCallback {
  return {
    callback_id,
    lead_id,
    event: 'sale',
    url: `https://publisher.example/?lead_id=${lead_id}&event=sale`,
    state: 'pending',
    attempts: [],
    due_at: 100,
    ...more,
  }
}

/** A callback that the inbox received at a time. */
export function inboxEntry(received_at: number): InboxEntry {
  return {
    received_at,
    lead_id: 'l1',
    event: 'sale',
    target: `/?n=${received_at}`,
    headers: { 'webhook-id': 'ü' },
    status: 200,
  }
}

/** A request of the journal. */
export function requestRecord(number: number, more: Partial<RequestRecord> = {}): RequestRecord {
  return {
    number,
    at: 1_700_000_000_003,
    operation: 'submitLead',
    method: 'POST',
    path: '/lead',
    status: 201,
    ms: 0.5,
    outcome: 'distributed',
    warnings: [],
    ...more,
  }
}

/** A report that is due at 100. */
export function scheduledReport(report_id: string, more: Partial<ScheduledReport> = {}): ScheduledReport {
  return { report_id, lead_id: 'l1', advertiser_id: 'a1', event: 'sale', due_at: 100, ...more }
}

/** A mark of a tenant's newest records. */
export const ageMark = (at: number): AgeMark => ({
  at,
  newest: { lead_id: undefined, callback_id: undefined },
  newestRequest: at,
})
