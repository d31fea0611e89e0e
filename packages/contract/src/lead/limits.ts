/** The minimum and maximum amount of a loan, in whole euros, inclusive. */ // Spec 2.8, 8
export const loanAmountBounds = { min: 500, max: 75_000 } as const

/** The minimum and maximum term of a loan, in months, inclusive. */ // Spec 2.8, 8
export const loanTermBounds = { min: 3, max: 84 } as const

/**
 * The maximum number of items in a lead's lists: consents or financial instruments. The specification sets no limit.
 */
export const maxListItems = 100

/** The customer's default nationality. */ // Spec 8
export const defaultNacionality = 'ES'

/** The default country code of a phone number. */ // Spec 8
export const defaultAreaCode = '+34'

/** The default country of an address. */ // Spec 8
export const defaultCountry = 'ES'

/** The customer's default number of children. */ // Spec 8
export const defaultChildren = 0

/** The default currency of a financial instrument. */ // Spec 8
export const defaultCurrency = 'EUR'

/** The consents that a lead must include, accepted. */ // Spec 2.9, 8
export const requiredConsents = ['terms', 'privacy_policy'] as const

/** The condition that an accepted consent has a time of acceptance. */ // Spec 2.9
export const acceptedSaysWhen = {
  field: 'accepted_at',
  issue: 'must be the time of acceptance: null is only for a consent that was not accepted',
  /** Returns true if an entry has a time, or was not accepted. */
  holds: (entry: { accepted?: unknown; accepted_at?: unknown }): boolean =>
    !(entry.accepted === true && entry.accepted_at === null),
} as const

/** The interpretation of the prose and the quick start, which require neither gender nor consent metadata. */
export const proseInterpretation: Interpretation = { gender: 'optional', consent_metadata: 'optional' }

/** The interpretation of the formal schema, which requires both. */
export const formalInterpretation: Interpretation = { gender: 'required', consent_metadata: 'required' }

/** The interpretation of the two open points that change the shape of a lead. */ // Spec 2.3; 2.9 against 4.1 rule 1
export type Interpretation = Record<'gender' | 'consent_metadata', 'optional' | 'required'>
