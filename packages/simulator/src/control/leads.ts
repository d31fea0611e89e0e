import { leadStatuses, rejectionReasons } from '@lead-distribution/contract'
import { dateTime, operations, uuid } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import { callback } from './callbacks.ts'
import {
  type ControlOperation,
  operationDefaults,
  portabilityWarning,
  wholeNumber,
  withBody,
  withQuery,
} from './operation-defaults.ts'

/** How an advertiser reported an event: by the pixel, or by the JSON call. */
export const reportWay = z.enum(['pixel', 'body'])

/** What an advertiser decided about a lead. */
export const advertiserDecision = z.enum(['accepted', 'declined'])

/** The trace of a decision. */
export const trace = z.array(
  z.strictObject({
    check: z.string(),
    verdict: z.enum(['passed', 'rejected', 'skipped', 'forced']),
    input: z.optional(z.unknown()),
    threshold: z.optional(z.unknown()),
    hint: z.optional(z.string()),
  }),
)

/** How the back end of an advertiser answered a lead. */
export const backendAnswer = z.strictObject({
  at: dateTime,
  status: z.optional(z.int()),
  error: z.optional(z.string()),
  ms: z.number(),
})

/** A lead with all that belongs to it. */
export const lead = z.strictObject({
  lead_id: uuid,
  product_id: uuid,
  status: z.enum(leadStatuses),
  rejection_reason: z.optional(z.enum(rejectionReasons)),
  redirect_url: z.optional(z.string()),
  received_at: dateTime,
  submission: z.record(z.string(), z.unknown()),
  trace,
  deliveries: z.array(
    z.strictObject({
      advertiser_id: uuid,
      name: z.string(),
      decision: advertiserDecision,
      reasons: z.array(z.string()),
      postback_url: z.optional(z.string()),
      redirect_url: z.optional(z.string()),
      backend: z.optional(backendAnswer),
    }),
  ),
  events: z.array(
    z.strictObject({
      event: z.string(),
      reported_as: z.string(),
      via: reportWay,
      advertiser_id: uuid,
      ref: z.optional(z.string()),
      metadata: z.optional(z.record(z.string(), z.unknown())),
      recorded_at: dateTime,
    }),
  ),
  callbacks: z.array(callback),
})

/** The query of the list of leads. */
const leadQuery = z
  .strictObject({
    status: z.optional(z.enum(leadStatuses)),
    reason: z.optional(z.enum(rejectionReasons)),
    product_id: z.optional(uuid),
    /** The whole address. */
    email: z.optional(z.string().check(z.minLength(1))),
    email_part: z.optional(z.string().check(z.minLength(1), z.maxLength(254))),
    from: z.optional(dateTime),
    to: z.optional(dateTime),
    limit: z.optional(wholeNumber('limit')),
    before: z.optional(uuid),
  })
  .check(
    z.refine(
      ({ email, email_part }) => email === undefined || email_part === undefined,
      'must hold one of email and email_part',
    ),
  )

/** The query of the list of leads. */
export type LeadQuery = z.output<typeof leadQuery>

/** What the service would answer to a submission, and why. */
const explanation = z.strictObject({
  would: z.strictObject({ status: z.int(), body: z.record(z.string(), z.unknown()) }),
  trace,
  warnings: z.array(portabilityWarning),
})

/** The body of a trigger. */
const trigger = z.strictObject({
  event: z.string().check(z.minLength(1), z.maxLength(200)),
  via: z.optional(reportWay),
  repeat: z.optional(wholeNumber('repeat')),
  advertiser_id: z.optional(uuid),
})

/** The replies of the service to the reports of the simulated advertiser, in order. */
const triggered = z.strictObject({
  replies: z.array(
    z.strictObject({ status: z.int(), body: z.unknown(), broken: z.optional(z.enum(['cut', 'withheld'])) }),
  ),
})

/** The operations on leads. */
export const leadOperations = {
  listLeads: {
    ...withQuery,
    title: 'List leads',
    description:
      'Returns leads, newest first. A page of a search may hold fewer leads than its limit and still have a next page.',
    methods: ['GET'],
    path: '/tenants/:tenant/leads',
    input: leadQuery,
    reply: z.strictObject({ leads: z.array(lead), next: z.optional(z.string()) }),
  },
  explainLead: {
    ...withBody,
    title: 'Explain a lead',
    description: 'Returns what the service would respond to this submission, and why. Changes nothing.',
    methods: ['POST'],
    path: '/tenants/:tenant/leads/explain',
    input: operations.submitLead.input,
    validation: 'handler',
    reply: explanation,
  },
  showLead: {
    ...operationDefaults,
    title: 'Show a lead',
    description: 'Returns the lead with the trace of its decision, its deliveries, events and callbacks.',
    methods: ['GET'],
    path: '/tenants/:tenant/leads/:lead_id',
    reply: lead,
  },
  triggerEvent: {
    ...withBody,
    title: 'Trigger an event',
    description: 'The simulated advertiser reports an event of the lead through the real endpoint.',
    methods: ['POST'],
    path: '/tenants/:tenant/leads/:lead_id/trigger',
    input: trigger,
    reply: triggered,
    errors: ['not_found', 'validation_error', 'not_distributed'],
  },
} as const satisfies Record<string, ControlOperation>
