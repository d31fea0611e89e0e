import { leadStatuses, rejectionReasons } from '@lead-distribution/contract'
import { dateTime, uuid } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import { callback, inboxMode } from './callbacks.ts'
import { clockState } from './clock.ts'
import { fault } from './faults.ts'
import { request } from './journal.ts'
import { backendAnswer } from './leads.ts'
import { type ControlOperation, operationDefaults } from './operation-defaults.ts'

/** What every event has: its tenant, and when it was committed on the tenant's clock. */
const ofTenant = { tenant: z.string(), at: dateTime }

/** What a stream says of itself; the events after `ready` and `reset` are all that there are. */
const aboutStream = [
  z.strictObject({ type: z.literal('ready') }),
  z.strictObject({ type: z.enum(['reset', 'dropped']), reason: z.string() }),
] as const

/** An event of a stream. What another operation shows too has the same shape here. */
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
    backend: z.optional(backendAnswer),
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

/** What streams have in common: they go on until their reader or the sandbox ends them. */
const stream = { ...operationDefaults, streams: true, methods: ['GET'], reply: sandboxEvent } as const

/** The operations that report what happens while it happens. */
export const eventOperations = {
  streamEvents: {
    ...stream,
    title: 'Stream the events of a tenant',
    description:
      'Streams what happens to the tenant, from now on or after the event that the header `Last-Event-ID` names.',
    path: '/tenants/:tenant/events',
    errors: ['not_found', 'too_many_requests'],
  },
  streamAllEvents: {
    ...stream,
    title: 'Stream the events of all tenants',
    description:
      'Streams what happens to all tenants that the token opens, from now on or after the event that the header `Last-Event-ID` names.',
    path: '/events',
    errors: ['too_many_requests'],
  },
} as const satisfies Record<string, ControlOperation>
