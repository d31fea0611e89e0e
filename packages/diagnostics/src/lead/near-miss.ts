/** The checks of a submission's trace that may have near misses. */
export type HintedCheck = 'shape' | 'publisher' | 'product' | 'product_active' | 'consents'

/** Something in a submission that resembles what was probably meant. */
export interface NearMiss {
  /** The check of the trace that it belongs to. */
  readonly check: HintedCheck
  /** The dotted path in the submission as it was sent. */
  readonly field: string
  /** A whole sentence. It repeats names of fields, and no value of a customer. */
  readonly message: string
}

/** A step of a trace that may carry a hint. */
export interface HintedStep {
  readonly check: string
  readonly hint?: string
}

/** A trace with each near miss in the hint of its check, after the hint that is already there. */
export function withNearMisses<Step extends HintedStep>(trace: readonly Step[], misses: readonly NearMiss[]): Step[] {
  return trace.map(step => {
    const messages = misses.filter(({ check }) => check === step.check).map(({ message }) => message)
    if (messages.length === 0) return step
    return { ...step, hint: [...(step.hint === undefined ? [] : [asSentence(step.hint)]), ...messages].join(' ') }
  })
}

function asSentence(hint: string): string {
  return /[.?!]$/.test(hint) ? hint : `${hint}.`
}
