import type { RejectionReason } from '@lead-distribution/contract'
import type { Lead } from '@lead-distribution/contract/shapes'
import type { Account, Product } from '../account.ts'
import type { CustomerRecord } from '../lead-record.ts'

/** What a rule may look at. */
export interface Facts {
  readonly lead: Lead
  readonly account: Account
  /** The product applied for, where it exists. */
  readonly product: Product | undefined
  /** What is known of the e-mail address within the product. */
  readonly customer: CustomerRecord | undefined
  /** The tenant's time, milliseconds since 1970. */
  readonly now: number
}

/** The verdict of a rule, and what explains it in the trace. */
export interface Judgement {
  readonly passes: boolean
  /** The value it looked at. */
  readonly input?: unknown
  /** The value it compared the input with. */
  readonly threshold?: unknown
  /** What to change so that the rule passes; shown only where it does not. */
  readonly hint?: string
}

/**
 * The kind of a refusal. `semantic`: wrong data, refused by the switch `semantic_refusals`. `without_lead`: a business
 * rejection that creates nothing. `with_lead`: one whose lead is stored and which starts the duplicate window.
 */
export type Refusal = 'semantic' | 'without_lead' | 'with_lead'

/** One reason for which a lead is rejected. */
export interface Rule {
  /** Its name in a trace. */
  readonly check: string
  /** Its name on the wire (Spec 2.12). */
  readonly reason: RejectionReason
  readonly refusal: Refusal
  judge(facts: Facts): Judgement
}

/** The judgement of a criterion whose field the lead does not carry: it does not reject. */
export const notStated: Judgement = { passes: true, input: 'not stated' }
