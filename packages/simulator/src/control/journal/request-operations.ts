import * as z from 'zod/mini'
import { type ControlOperation, rowWithQuery } from '../row.ts'
import { request, requestQuery } from './request.shape.ts'

/** The operations on the journal. */
export const requestOperations = {
  listRequests: {
    ...rowWithQuery,
    summary: 'List the calls of the service with what was decided, newest first.',
    methods: ['GET'],
    path: '/tenants/:tenant/requests',
    input: requestQuery,
    reply: z.strictObject({ requests: z.array(request), next: z.optional(z.string()) }),
  },
} as const satisfies Record<string, ControlOperation>
