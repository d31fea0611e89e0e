import { operations } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import { type ControlOperation, row, rowWithBody, rowWithQuery } from '../row.ts'
import { explanation, lead, leadQuery, trigger, triggered } from './lead.shape.ts'

/** The operations on leads. */
export const leadOperations = {
  listLeads: {
    ...rowWithQuery,
    summary: 'List leads, newest first.',
    methods: ['GET'],
    path: '/tenants/:tenant/leads',
    input: leadQuery,
    reply: z.strictObject({ leads: z.array(lead), next: z.optional(z.string()) }),
  },
  explainLead: {
    ...rowWithBody,
    summary: 'Tell what the service would answer to a submission and why, and change nothing.',
    methods: ['POST'],
    path: '/tenants/:tenant/leads/explain',
    input: operations.submitLead.input,
    reply: explanation,
  },
  showLead: {
    ...row,
    summary: 'Show a lead with the trace of its decision, its deliveries, events and callbacks.',
    methods: ['GET'],
    path: '/tenants/:tenant/leads/:lead_id',
    reply: lead,
  },
  triggerEvent: {
    ...rowWithBody,
    summary: 'Have the simulated advertiser report an event of a lead through the real endpoint.',
    methods: ['POST'],
    path: '/tenants/:tenant/leads/:lead_id/trigger',
    input: trigger,
    reply: triggered,
    errors: ['not_found', 'validation_error', 'not_distributed'],
  },
} as const satisfies Record<string, ControlOperation>
