import type { ErrorCode, FieldIssue } from '@lead-distribution/contract'
import type { TokenReader } from '../access/token-reader.ts'
import type { Clock, Ids } from '../ports.ts'
import type { Storage, Tables } from '../storage.ts'

/** What every operation works on. */
export interface OperationPorts<T extends Tables = Tables> {
  readonly storage: Storage<T>
  readonly clock: Clock
  readonly ids: Ids
}

/** What a report of an advertiser works on. */
export interface ReportPorts extends OperationPorts {
  readonly readToken: TokenReader
  /** Called when an event was recorded, after its transaction: a callback is due. */
  readonly onCallbackDue: () => void
}

/** The operation did nothing. A `validation_error` lists every issue, field by field. */
export type Refused<Code extends ErrorCode = ErrorCode> =
  | { readonly status: 'refused'; readonly error: 'validation_error'; readonly issues: FieldIssue[] }
  | { readonly status: 'refused'; readonly error: Exclude<Code, 'validation_error'>; readonly issues?: never }

/** The refusal of an input whose fields are wrong. */
export function refusedFields(issues: FieldIssue[]): Refused<'validation_error'> {
  return { status: 'refused', error: 'validation_error', issues }
}
