/** The two readings of the specification that change which shape a lead must have. */
export interface Reading {
  /** Whether `customer.personal_data.gender` is required (Spec 2.3). */
  gender: 'optional' | 'required'
  /** Whether `consents.metadata` is required (Spec 2.9 against 4.1 rule 1). */
  consent_metadata: 'optional' | 'required'
}

/** What the prose and the quick start say: neither is required. */
export const proseReading: Reading = { gender: 'optional', consent_metadata: 'optional' }

/** What the formal schema says: both are required. */
export const formalReading: Reading = { gender: 'required', consent_metadata: 'required' }
