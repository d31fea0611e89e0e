import {
  companySectors,
  educationLevels,
  genders,
  housingTenures,
  housingTypes,
  loanAmountBounds,
  loanPurposes,
  loanTermBounds,
  maritalStatuses,
  occupationTypes,
} from '@lead-distribution/contract'

/**
 * The allowed values of a lead's fields, for the choices in a form.
 * @example
 * ```ts
 * import { leadChoices } from '@lead-distribution/publisher-sdk'
 *
 * const options = leadChoices.loanPurposes.map(purpose => `<option value="${purpose}">`)
 * ```
 * @category Leads
 */ // Spec 2.11
export const leadChoices = {
  /** `product_data.loan_purpose`. */
  loanPurposes,
  /** `customer.personal_data.gender`. */
  genders,
  /** `customer.profile.occupation`. */
  occupationTypes,
  /** `customer.profile.company_sector`. */
  companySectors,
  /** `customer.profile.education`. */
  educationLevels,
  /** `customer.profile.marital_status`. */
  maritalStatuses,
  /** `customer.profile.housing_tenure`. */
  housingTenures,
  /** `customer.profile.housing_type`. */
  housingTypes,
} as const

/**
 * The minimum and maximum of a loan's numeric fields.
 * @example
 * ```ts
 * import { leadBounds } from '@lead-distribution/publisher-sdk'
 *
 * const { min, max } = leadBounds.loanAmount
 * const field = `<input type="number" name="amount" min="${min}" max="${max}">`
 * ```
 * @category Leads
 */ // Spec 2.8
export const leadBounds = {
  /** `product_data.loan_amount`, whole euros. */
  loanAmount: loanAmountBounds,
  /** `product_data.loan_term_months`, months. */
  loanTermMonths: loanTermBounds,
} as const
