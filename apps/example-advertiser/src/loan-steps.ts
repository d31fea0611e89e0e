import type { PixelEvent } from '@lead-distribution/advertiser-sdk'

/** Where a loan stands. */
export type LoanState = 'received' | 'registered' | 'issued' | 'rejected' | 'repaid' | 'defaulted'

/** A step of a loan: when it may be taken, and where it leads. */
interface LoanStep {
  after: readonly LoanState[]
  to: LoanState
  button: string
}

/** The steps of a loan, by the event that each is reported as (Spec 6.1). */
export const loanSteps: Readonly<Record<PixelEvent, LoanStep>> = {
  registration: { after: ['received'], to: 'registered', button: 'Register' },
  approved: { after: ['received', 'registered'], to: 'issued', button: 'Issue loan' },
  rejected: { after: ['received', 'registered'], to: 'rejected', button: 'Reject' },
  completed: { after: ['issued'], to: 'repaid', button: 'Repaid' },
  defaulted: { after: ['issued'], to: 'defaulted', button: 'Default' },
}

/** Whether a text is the event of a step. */
export function isLoanEvent(text: string): text is PixelEvent {
  return Object.hasOwn(loanSteps, text)
}
