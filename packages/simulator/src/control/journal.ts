import { dateTime, operations, uuid } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import { coverageKinds } from '../journal/coverage.ts'
import { trace } from './leads.ts'
import {
  type ControlOperation,
  operationDefaults,
  portabilityWarning,
  wholeNumber,
  withBody,
  withQuery,
} from './operation-defaults.ts'

const operation = z.enum(Object.keys(operations) as (keyof typeof operations)[])
const requestId = z.string().check(z.regex(/^r\d{1,15}$/, 'must be a request_id of the journal, such as r42'))

const wrongStatus = 'must be a status, a class of them such as 4xx, or cut or withheld for a response that never came'

/** The query of the journal. */
const requestQuery = z.strictObject({
  operation: z.optional(operation),
  status: z.optional(
    z.union([z.int(), z.string().check(z.regex(/^([0-9]xx|cut|withheld)$/, wrongStatus))], { error: wrongStatus }),
  ),
  lead_id: z.optional(uuid),
  limit: z.optional(wholeNumber('limit')),
  before: z.optional(requestId),
})

/** A call of the service as the journal shows it: what was decided, and nothing of what was sent. */
export const request = z.strictObject({
  request_id: requestId,
  at: dateTime,
  operation,
  method: z.string(),
  path: z.string(),
  status: z.int(),
  ms: z.number(),
  lead_id: z.optional(uuid),
  outcome: z.string(),
  reason: z.optional(z.string()),
  event: z.optional(z.string()),
  check: z.optional(z.string()),
  trace: z.optional(trace),
  near_misses: z.optional(z.array(z.strictObject({ field: z.string(), message: z.string() }))),
  issues: z.optional(z.array(z.strictObject({ field: z.string(), issue: z.string() }))),
  warnings: z.array(portabilityWarning),
  fault_id: z.optional(z.string()),
  broken: z.optional(z.enum(['garbled', 'cut', 'withheld'])),
})

/** What a tenant has seen of all that it can see. */
const coverage = z.strictObject({
  seen: z.int(),
  total: z.int(),
  items: z.array(z.strictObject({ kind: z.enum(coverageKinds), name: z.string(), how: z.string(), count: z.int() })),
})

/** The query of the coverage of several tenants. */
const coverageQuery = z.strictObject({ prefix: z.optional(z.string().check(z.minLength(1), z.maxLength(63))) })

/** What several tenants have seen together, and how many they are. */
const coverageOfAll = z.extend(coverage, { tenants: z.int() })

/** The body of a diagnosis. */
const postback = z.strictObject({ url: z.string().check(z.minLength(1), z.maxLength(8_192)) })

/** What was found of a postback URL, in the order of the pixel's checks. */
const diagnosis = z.strictObject({
  findings: z.array(
    z.strictObject({ check: z.string(), verdict: z.enum(['ok', 'warning', 'wrong']), message: z.string() }),
  ),
})

/** The operations on the journal. */
export const requestOperations = {
  listRequests: {
    ...withQuery,
    title: 'List requests',
    description: 'Returns the requests to the service, newest first, with the decision on each.',
    methods: ['GET'],
    path: '/tenants/:tenant/requests',
    input: requestQuery,
    reply: z.strictObject({ requests: z.array(request), next: z.optional(z.string()) }),
  },
  showRequest: {
    ...operationDefaults,
    title: 'Show a request',
    description:
      'Returns a request to the service. For a submission that created no lead, it has every check of the decision.',
    methods: ['GET'],
    path: '/tenants/:tenant/requests/:request_id',
    reply: request,
    errors: ['not_found', 'validation_error'],
  },
} as const satisfies Record<string, ControlOperation>

/** The operations that report how a tenant was used, and judge what is about to be used. */
export const coverageOperations = {
  showCoverage: {
    ...operationDefaults,
    title: 'Show the coverage of a tenant',
    description:
      'Returns the outcomes, reasons, errors and events that the tenant has seen, and how to see the others.',
    methods: ['GET'],
    path: '/tenants/:tenant/coverage',
    reply: coverage,
  },
  showCoverageOfAll: {
    ...withQuery,
    title: 'Show the coverage of all tenants',
    description:
      'Returns what all tenants that the token opens have seen together, or those whose names begin with a prefix.',
    methods: ['GET'],
    path: '/coverage',
    input: coverageQuery,
    reply: coverageOfAll,
    errors: ['validation_error'],
  },
  diagnosePostback: {
    ...withBody,
    title: 'Diagnose a postback URL',
    description: 'Checks the URL step by step as the pixel would. Changes nothing.',
    methods: ['POST'],
    path: '/tenants/:tenant/diagnose',
    input: postback,
    reply: diagnosis,
  },
} as const satisfies Record<string, ControlOperation>
