import type { ErrorCode } from '@lead-distribution/contract'
import type { Operation } from '@lead-distribution/contract/shapes'
import type { controlErrorStatus } from './control-document-errors.ts'

/** One row of the control plane's table; its errors are the service's and some of its own. */
export type ControlOperation = Operation<ErrorCode | keyof typeof controlErrorStatus>

/** What rows of the control plane have in common: no credential of the service, and something that may not be there. */
export const row = { spec: 'sandbox', key: 'none', in: 'none', errors: ['not_found'] } as const

/** The same for a row that takes an input. */
export const rowWithBody = { ...row, in: 'body', errors: ['not_found', 'validation_error'] } as const

/** The same for a row that takes query parameters. */
export const rowWithQuery = { ...row, in: 'query', errors: ['not_found', 'validation_error'] } as const
