import type { RejectionReason } from '@lead-distribution/contract'
import type { Lead } from '@lead-distribution/contract/shapes'
import type { Account } from '../account/account.ts'
import type { Product } from '../account/product.ts'
import type { CustomerRecord } from '../ports/storage.ts'

/** All that a rule may look at. */
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

/** What a rule found, and what a reader of the trace wants to know of it. */
export interface Judgement {
  readonly passes: boolean
  /** What was looked at. */
  readonly input?: unknown
  /** What it was compared with. */
  readonly threshold?: unknown
  /** What to change so that the rule passes; told only where it does not. */
  readonly hint?: string
}

/**
 * How a refusal is answered. `semantic`: by the switch `semantic_refusals`. `without_lead`: a 200 rejection
 * that created nothing. `with_lead`: a 200 rejection whose lead is kept and which starts the duplicate window.
 */
export type Refusal = 'semantic' | 'without_lead' | 'with_lead'

/** One reason for which a lead is rejected. */
export interface Rule {
  /** Its name in a trace. */
  readonly check: string
  /** The wire's word for the refusal (Spec 2.12). */
  readonly reason: RejectionReason
  /** How the refusal is answered. */
  readonly refusal: Refusal
  judge(facts: Facts): Judgement
}

/** The judgement of a criterion whose field the lead does not carry: it does not reject. */
export const notStated: Judgement = { passes: true, input: 'not stated' }
