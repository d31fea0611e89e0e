/** The checks of a trace that a near miss can be told at. */
export type HintedCheck = 'shape' | 'publisher' | 'product' | 'product_active' | 'consents'

/** Something in a submission that resembles what was probably meant. */
export interface NearMiss {
  /** The check of the trace that it belongs to. */
  readonly check: HintedCheck
  /** Where it stands in the submission as it was sent, a dotted path. */
  readonly field: string
  /** A whole sentence. It repeats names of fields, and no value of a customer. */
  readonly message: string
}
