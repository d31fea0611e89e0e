import { type ControlOperation, row, rowWithBody } from '../row.ts'
import { coverage, diagnosis, postback } from './coverage.shape.ts'

/** The operations that look at how a tenant was used, and at what is about to be used. */
export const coverageOperations = {
  showCoverage: {
    ...row,
    summary: 'Show which outcomes, reasons, errors and events the tenant has seen, and how to see the others.',
    methods: ['GET'],
    path: '/tenants/:tenant/coverage',
    reply: coverage,
  },
  diagnosePostback: {
    ...rowWithBody,
    summary: 'Tell what the pixel would make of a postback URL, check by check, and change nothing.',
    methods: ['POST'],
    path: '/tenants/:tenant/doctor',
    input: postback,
    reply: diagnosis,
  },
} as const satisfies Record<string, ControlOperation>
