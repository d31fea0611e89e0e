import * as z from 'zod/mini'
import { type ControlOperation, row, rowWithBody } from '../row.ts'
import { faultOrder, faultView } from './fault.shape.ts'

/** The operations on faults. */
export const faultOperations = {
  addFault: {
    ...rowWithBody,
    summary: 'Set a fault on calls of the service or on callbacks; of several that match, the first acts.',
    methods: ['POST'],
    path: '/tenants/:tenant/faults',
    input: faultOrder,
    status: 201,
    reply: faultView,
    errors: ['not_found', 'validation_error', 'too_many'],
  },
  listFaults: {
    ...row,
    summary: 'List the faults in the order in which they are asked.',
    methods: ['GET'],
    path: '/tenants/:tenant/faults',
    reply: z.strictObject({ faults: z.array(faultView) }),
  },
  clearFaults: {
    ...row,
    summary: 'Remove all faults.',
    methods: ['DELETE'],
    path: '/tenants/:tenant/faults',
    reply: z.strictObject({ cleared: z.int() }),
  },
  removeFault: {
    ...row,
    summary: 'Remove a fault.',
    methods: ['DELETE'],
    path: '/tenants/:tenant/faults/:fault_id',
    reply: z.strictObject({ cleared: z.int() }),
  },
} as const satisfies Record<string, ControlOperation>
