import { leadStatuses, rejectionReasons } from '@lead-distribution/contract'
import { dateTime, uuid } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import type { StreamOf } from '../storage/shared-storage.ts'
import { type Change, maxStreams } from '../stream/event-streams.ts'
import type { Tenant } from '../tenants/runtime.ts'
import { tooManyAtOnce } from '../tenants/waiting-requests.ts'
import { shownAt } from '../time/clock.ts'
import { tenantsOpenTo } from './access.ts'
import { clockState } from './clock.ts'
import { fault, faultViews } from './faults.ts'
import { type ControlContext, operation } from './operation.ts'
import { backendResponse, backendView, callback, callbackView, inboxMode, iso, request, requestView } from './shapes.ts'

/** The fields of every tenant event: the tenant's name, and the time of the commit on its clock. */
const ofTenant = { tenant: z.string(), at: dateTime }

/**
 * A stream's messages about itself. No event is missing after `ready` or `reset`; a reader that is too slow gets a
 * `reset`.
 */
const aboutStream = [
  z.strictObject({ type: z.literal('ready') }),
  z.strictObject({ type: z.literal('reset'), reason: z.string() }),
] as const

/** A stream event. Anything that other operations return too has the same shape here. */
export const sandboxEvent = z.discriminatedUnion('type', [
  ...aboutStream,
  z.strictObject({
    ...ofTenant,
    type: z.literal('lead'),
    /** Submitted, posted to an advertiser's back end, or reported on by an advertiser. */
    change: z.enum(['submitted', 'forwarded', 'reported']),
    lead_id: uuid,
    product_id: z.optional(uuid),
    status: z.optional(z.enum(leadStatuses)),
    rejection_reason: z.optional(z.enum(rejectionReasons)),
    advertiser_id: z.optional(uuid),
    event: z.optional(z.string()),
    backend: z.optional(backendResponse),
  }),
  z.strictObject({ ...ofTenant, type: z.literal('callback'), callback }),
  z.strictObject({ ...ofTenant, type: z.literal('request'), request }),
  z.strictObject({ ...ofTenant, type: z.literal('clock'), clock: clockState }),
  z.strictObject({ ...ofTenant, type: z.literal('fault'), faults: z.array(fault) }),
  z.strictObject({ ...ofTenant, type: z.literal('inbox'), inbox: inboxMode }),
  z.strictObject({
    ...ofTenant,
    type: z.literal('tenant'),
    change: z.enum(['created', 'changed', 'restored', 'deleted']),
  }),
])

/**
 * Returns an event's data: for a lead, its ids and decision; for anything else, the shape that its own operation returns.
 */
export function changeView(change: Change, realNow: number): object {
  switch (change.type) {
    case 'lead':
      return leadChangeView(change)
    case 'callback':
      return { callback: callbackView(change.callback, change.holding) }
    case 'request':
      return { request: requestView(change.request) }
    case 'clock':
      return { clock: { mode: change.clock.mode, now: iso(shownAt(change.clock, realNow)) } }
    case 'fault':
      return { faults: faultViews(change.faults) }
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

const tooManyStreams = tooManyAtOnce(`${maxStreams} of these streams are already open. Close unused ones.`)

/** The operations that stream events. An open stream holds no lock. */
export const eventOperations = {
  streamEvents: operation(
    {
      title: 'Stream the events of a tenant',
      description: 'Streams the events of the tenant, from now on or after the id in the `Last-Event-ID` header.',
      methods: ['GET'],
      path: '/tenants/:tenant/events',
      streams: true,
      reply: sandboxEvent,
      errors: ['too_many_requests'],
    },
    ({ tenant, headers }, context) => openStream(context, [tenant], headers, tenant.record.tenant),
  ),
  streamAllEvents: operation(
    {
      title: 'Stream the events of all tenants',
      description:
        'Streams the events of all tenants that the token opens, from now on or after the id in the `Last-Event-ID` header.',
      methods: ['GET'],
      path: '/events',
      streams: true,
      reply: sandboxEvent,
      errors: ['too_many_requests'],
    },
    ({ principal, headers }, context) =>
      openStream(context, tenantsOpenTo(principal, context.registry), headers, principal.tenant ?? null),
  ),
}

async function openStream(
  { events, registry }: ControlContext,
  tenants: readonly Tenant[],
  { 'last-event-id': last }: Readonly<Record<string, string | undefined>>,
  of: StreamOf,
) {
  const stream = events.read(of, last)
  if (!stream) return tooManyStreams
  try {
    // Transactions that began before anyone was watching have either committed now or will appear in the stream. A list
    // read from here on contains the former, and the stream the latter.
    await Promise.all([registry.refresh?.(), ...tenants.map(tenant => tenant.commit())])
  } catch (error) {
    await stream.return()
    throw error
  }
  return { stream }
}
