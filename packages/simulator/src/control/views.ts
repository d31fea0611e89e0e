import type { RefusedAgo, TraceStep } from '@lead-distribution/engine'
import type { Urls } from '../paths.ts'
import type {
  BackendResponse,
  CallBodies,
  CallbackHold,
  RequestRecord,
  SandboxAttempt,
  SandboxCallback,
} from '../storage/records.ts'
import { type Holding, isHolding } from '../storage/tenant-record.ts'
import type { Change } from '../stream/event-streams.ts'
import { callbackUrlOf } from '../tenants/account.ts'
import type { Tenant } from '../tenants/runtime.ts'
import { shownAt } from '../time/clock.ts'

// Records as the control plane shows them, where more than one operation does.

export const iso = (ms: number) => new Date(ms).toISOString()

/** Returns an account with its keys and secrets: it is what its user integrates with. */
export function accountView({ record, account }: Pick<Tenant, 'record' | 'account'>, urls: Urls) {
  const { publisher, advertisers, products, blacklist, listener } = record
  return {
    tenant: record.tenant,
    base_url: urls.base,
    publisher: { ...publisher, callback_url: callbackUrlOf(record, urls) },
    advertisers,
    products,
    blacklist,
    settings: account.settings,
    callbacks_held: record.callbacks_held ?? false,
    ...(listener && { listener }),
    ...(record.expires_at === undefined ? {} : { expires_at: iso(record.expires_at) }),
  }
}

/** Returns a callback with its attempts and the receiver's answers to them. */
export function callbackDetails(stored: SandboxCallback, tenant: Holding) {
  return viewOf(stored, tenant, stored.attempts)
}

/** Returns a callback for a list or a stream, without the receiver's answers. */
export function callbackView(stored: SandboxCallback, tenant: Holding) {
  return viewOf(
    stored,
    tenant,
    stored.attempts.map(({ answer: _, ...attempt }) => attempt),
  )
}

/** While its tenant holds it, a callback has no time of a next attempt. */
function viewOf(stored: SandboxCallback, tenant: Holding, attempts: readonly SandboxAttempt[]) {
  const { due_at, resent_after: _, attempts: __, held: _byFault, synthetic, ...callback } = stored
  const held = holdOf(stored, tenant)
  const isDue = callback.state === 'pending' && !isHolding(tenant)
  return {
    ...callback,
    attempts: attempts.map(attempt => ({ ...attempt, at: iso(attempt.at) })),
    ...(isDue && due_at !== undefined && { next_attempt_at: iso(due_at) }),
    ...(held && { held }),
    ...(synthetic && { synthetic: true as const }),
  }
}

/** Returns the reason why a callback is not sent when it is due; undefined if it is sent. */
export function holdOf(
  { state, held }: Pick<SandboxCallback, 'state' | 'held'>,
  tenant: Holding,
): CallbackHold | 'tenant' | 'listener' | undefined {
  if (state !== 'pending' || !isHolding(tenant)) return held
  return tenant.callbacks_held ? 'tenant' : 'listener'
}

/** Returns a request to the service for a list or a stream, identified by its number in the journal. */
export function requestView(record: RequestRecord) {
  const { number, at, query: _, request_headers: __, response_headers: ___, ...request } = record
  return { request_id: `r${number}`, at: iso(at), ...request }
}

/** Returns a request to the service with its headers, and its bodies if they are kept. */
export function requestDetails(record: RequestRecord, { request, response }: CallBodies = {}) {
  const { query, request_headers, response_headers } = record
  return {
    ...requestView(record),
    ...(query !== undefined && { query }),
    ...(request_headers && { request_headers }),
    ...(response_headers && { response_headers }),
    ...(request && { request_body: request }),
    ...(response && { response_body: response }),
  }
}

/** Returns a trace as people read it: how long ago an address was refused is a sentence. */
export function traceView(trace: readonly TraceStep[]): TraceStep[] {
  return trace.map(step =>
    step.check === 'duplicate' && step.input !== undefined
      ? { ...step, input: `refused ${(step.input as RefusedAgo).refused_ms_ago / 1000} s ago` }
      : step,
  )
}

export const backendView = ({ at, ...response }: BackendResponse) => ({ at: iso(at), ...response })

/** Returns the data of an event: ids and decisions of a lead; anything else as its own operation shows it. */
export function changeView(change: Change, realNow: number): object {
  switch (change.type) {
    case 'lead':
      return leadChangeView(change)
    case 'callback':
      return { callback: callbackView(change.callback, change.holding) }
    case 'call':
      return { request: requestView(change.request) }
    case 'clock':
      return { clock: { mode: change.clock.mode, now: iso(shownAt(change.clock, realNow)) } }
    case 'fault':
      return { faults: change.faults }
    case 'inbox':
      return { inbox: change.inbox }
    case 'tenant':
      return { change: change.change }
  }
}

function leadChangeView(changed: Extract<Change, { type: 'lead' }>) {
  const { change } = changed
  if (change === 'submitted') {
    const { lead_id, product_id, status, rejection_reason } = changed.lead
    return { change, lead_id, product_id, status, rejection_reason }
  }
  const { lead_id, advertiser_id } = change === 'reported' ? changed.event : changed
  if (change === 'reported') return { change, lead_id, advertiser_id, event: changed.event.event }
  return { change, lead_id, advertiser_id, backend: backendView(changed.backend) }
}
