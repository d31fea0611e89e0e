/** The two readings of the specification that change which shape a lead must have. */
export interface Interpretation {
  /** Whether `customer.personal_data.gender` is required (Spec 2.3). */
  gender: 'optional' | 'required'
  /** Whether `consents.metadata` is required (Spec 2.9 against 4.1 rule 1). */
  consent_metadata: 'optional' | 'required'
}

/** What the prose and the quick start say: neither is required. */
export const proseInterpretation: Interpretation = { gender: 'optional', consent_metadata: 'optional' }

/** What the formal schema says: both are required. */
export const formalInterpretation: Interpretation = { gender: 'required', consent_metadata: 'required' }
