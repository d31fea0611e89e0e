import type { Account, Product, Rejection } from '@lead-distribution/contract'
import type { Lead } from '@lead-distribution/contract/shapes'
import type { CustomerRecord } from '../lead-record.ts'

/** The facts that a rule may use. */
export interface Facts {
  readonly lead: Lead
  readonly account: Account
  /** The product applied for, if it exists. */
  readonly product: Product | undefined
  /** The record of the e-mail address within the product. */
  readonly customer: CustomerRecord | undefined
  /** The tenant's time, in milliseconds since 1970. */
  readonly now: number
}

/** A field of a submission, with a value for it. */
export interface FieldValue {
  /** The dotted path of the field. */
  readonly field: string
  readonly value: string | number
}

/** A rule's verdict, with its explanation in the trace. */
export interface Judgement {
  readonly passes: boolean
  /** The judged value. */
  readonly input?: unknown
  /** The value that the input was compared with. */
  readonly threshold?: unknown
  /** The change that makes the rule pass. Shown only if it rejects. */
  readonly hint?: string
  /** The nearest value that passes. Set only if the rule rejects, and a change of one field is enough. */
  readonly nearest?: FieldValue | undefined
}

export type Judge = (facts: Facts) => Judgement

/** A check that rejects leads, with its code. */
export interface Rule extends Rejection {
  readonly judge: Judge
}

/** The verdict on a criterion with a field that the lead omits: it passes. */
export const notStated: Judgement = { passes: true, input: 'not stated' }
