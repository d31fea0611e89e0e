/**
 * How the two open points are interpreted that change the shape of a lead. The engine's settings hold every open point;
 * the contract knows only these two.
 */
export interface Interpretation {
  /** Whether `customer.personal_data.gender` is required. */ // Spec 2.3
  gender: 'optional' | 'required'
  /** Whether `consents.metadata` is required. */ // Spec 2.9 against 4.1 rule 1
  consent_metadata: 'optional' | 'required'
}

/** The prose and the quick start require neither. */
export const proseInterpretation: Interpretation = { gender: 'optional', consent_metadata: 'optional' }

/** The formal schema requires both. */
export const formalInterpretation: Interpretation = { gender: 'required', consent_metadata: 'required' }
