/** The smallest and largest amount of a loan, whole euros, both inclusive. */ // Spec 2.8, 8
export const loanAmountBounds = { min: 500, max: 75_000 } as const

/** The shortest and longest term of a loan, months, both inclusive. */ // Spec 2.8, 8
export const loanTermBounds = { min: 3, max: 84 } as const

/** The maximum number of items in a list of a lead: consents or financial instruments. The specification has no bound. */
export const maxListItems = 100

/** The default nationality of a customer. */ // Spec 8
export const defaultNacionality = 'ES'

/** The default country code of a phone number. */ // Spec 8
export const defaultAreaCode = '+34'

/** The default country of an address. */ // Spec 8
export const defaultCountry = 'ES'

/** The default number of children of a customer. */ // Spec 8
export const defaultChildren = 0

/** The default currency of a financial instrument. */ // Spec 8
export const defaultCurrency = 'EUR'

/** The consents that a lead must have, accepted. */ // Spec 2.9, 8
export const requiredConsents = ['terms', 'privacy_policy'] as const

/** The condition that an accepted consent has the time of its acceptance. */ // Spec 2.9
export const acceptedSaysWhen = {
  field: 'accepted_at',
  issue: 'must be the time of acceptance: null is only for a consent that was not accepted',
  /** Returns true if an entry has the time, or was not accepted. */
  holds: (entry: { accepted?: unknown; accepted_at?: unknown }): boolean =>
    !(entry.accepted === true && entry.accepted_at === null),
} as const

/** The interpretation of the prose and the quick start, which require neither gender nor the metadata of the consents. */
export const proseInterpretation: Interpretation = { gender: 'optional', consent_metadata: 'optional' }

/** The interpretation of the formal schema, which requires both. */
export const formalInterpretation: Interpretation = { gender: 'required', consent_metadata: 'required' }

/** The interpretation of the two open points that change the shape of a lead. */ // Spec 2.3; 2.9 against 4.1 rule 1
export type Interpretation = Record<'gender' | 'consent_metadata', 'optional' | 'required'>
