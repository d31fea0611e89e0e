import { leadStatuses, rejectionReasons } from '@lead-distribution/contract'
import { dateTime, uuid } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import type { StreamOf } from '../storage/shared-storage.ts'
import { maxStreams } from '../stream/event-streams.ts'
import type { Tenant } from '../tenants/runtime.ts'
import { tooManyAtOnce } from '../tenants/waiting-calls.ts'
import { tenantsOpenTo } from './access.ts'
import { clockState } from './clock.ts'
import { fault } from './faults.ts'
import { type ControlContext, operation } from './operation.ts'
import { backendResponse, callback, inboxMode, request } from './shapes.ts'

/** The fields of every event of a tenant: its name, and the commit on the tenant's clock. */
const ofTenant = { tenant: z.string(), at: dateTime }

/** The messages of a stream about itself. After `ready` or `reset`, no event is missing; a reader too slow gets a `reset`. */
const aboutStream = [
  z.strictObject({ type: z.literal('ready') }),
  z.strictObject({ type: z.literal('reset'), reason: z.string() }),
] as const

/** An event of a stream. Anything that another operation shows has the same shape here. */
export const sandboxEvent = z.discriminatedUnion('type', [
  ...aboutStream,
  z.strictObject({
    ...ofTenant,
    type: z.literal('lead'),
    /** Submitted, posted to the back end of an advertiser, or reported on by an advertiser. */
    change: z.enum(['submitted', 'handed_over', 'reported']),
    lead_id: uuid,
    product_id: z.optional(uuid),
    status: z.optional(z.enum(leadStatuses)),
    rejection_reason: z.optional(z.enum(rejectionReasons)),
    advertiser_id: z.optional(uuid),
    event: z.optional(z.string()),
    backend: z.optional(backendResponse),
  }),
  z.strictObject({ ...ofTenant, type: z.literal('callback'), callback }),
  z.strictObject({ ...ofTenant, type: z.literal('call'), request }),
  z.strictObject({ ...ofTenant, type: z.literal('clock'), clock: clockState }),
  z.strictObject({ ...ofTenant, type: z.literal('fault'), faults: z.array(fault) }),
  z.strictObject({ ...ofTenant, type: z.literal('inbox'), inbox: inboxMode }),
  z.strictObject({
    ...ofTenant,
    type: z.literal('tenant'),
    change: z.enum(['created', 'changed', 'restored', 'deleted']),
  }),
])

const tooManyStreams = tooManyAtOnce(`${maxStreams} of these streams are already open. Close unused ones.`)

/** The operations that stream events. No lock of a tenant is held while a stream is open. */
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
    // Transactions that began while nobody watched are committed now, or seen by a later look: a list that is read from here
    // on has the former, the stream the latter.
    await Promise.all([registry.refresh?.(), ...tenants.map(tenant => tenant.commit())])
  } catch (error) {
    await stream.return()
    throw error
  }
  return { stream }
}
