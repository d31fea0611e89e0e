/** Loan purpose. */ // Spec 2.11
export const loanPurposes = [
  'personal_expenses',
  'bill_payment',
  'medical_expenses',
  'home_improvement',
  'vehicle_purchase',
  'education',
  'big_purchase',
  'business',
  'debt_consolidation',
  'leisure',
  'unforeseen_costs',
  'family',
  'wedding',
  'other',
] as const
/** Loan purpose. */ // Spec 2.11
export type LoanPurpose = (typeof loanPurposes)[number]

/** Occupation. */ // Spec 2.11
export const occupationTypes = [
  'indefinite_employee',
  'part_time_employee',
  'temporary_employee',
  'self_employed',
  'civil_servant',
  'military',
  'homemaker',
  'student',
  'unemployed',
  'social_welfare',
  'retired',
  'pensioner',
  'other',
] as const
/** Occupation. */ // Spec 2.11
export type OccupationType = (typeof occupationTypes)[number]

/** Marital status. */ // Spec 2.11
export const maritalStatuses = [
  'married',
  'single',
  'widowed',
  'separated',
  'divorced',
  'domestic_partnership',
  'other',
] as const
/** Marital status. */ // Spec 2.11
export type MaritalStatus = (typeof maritalStatuses)[number]

/** Highest level of education. */ // Spec 2.11
export const educationLevels = [
  'none',
  'primary',
  'secondary',
  'high_school',
  'vocational',
  'university_degree',
  'masters',
  'doctorate',
  'other',
] as const
/** Highest level of education. */ // Spec 2.11
export type EducationLevel = (typeof educationLevels)[number]

/** Housing tenure. */ // Spec 2.11
export const housingTenures = ['owner_with_mortgage', 'owner_without_mortgage', 'rental', 'other'] as const
/** Housing tenure. */ // Spec 2.11
export type HousingTenure = (typeof housingTenures)[number]

/** Type of housing. */ // Spec 2.11
export const housingTypes = ['apartment', 'house', 'studio', 'villa', 'townhouse', 'duplex', 'other'] as const
/** Type of housing. */ // Spec 2.11
export type HousingType = (typeof housingTypes)[number]

/** The employer's sector. */ // Spec 2.11
export const companySectors = [
  'banking_finance_insurance',
  'construction_real_estate',
  'education',
  'energy_communications',
  'healthcare',
  'hospitality_tourism',
  'manufacturing_production',
  'military_defense',
  'public_administration',
  'raw_materials_mining',
  'sales_retail',
  'technology_telecommunications',
  'transport_logistics',
  'leisure_entertainment',
  'other',
] as const
/** The employer's sector. */ // Spec 2.11
export type CompanySector = (typeof companySectors)[number]

/** Verification status of contact data or a financial instrument. */ // Spec 2.11
export const verificationStatuses = ['verified', 'not_verified', 'pending'] as const
/** Verification status of contact data or a financial instrument. */ // Spec 2.11
export type VerificationStatus = (typeof verificationStatuses)[number]

/** Verification method of contact data. */ // Spec 2.11
export const verificationMethods = ['otp', 'sms', 'link', 'manual'] as const
/** Verification method of contact data. */ // Spec 2.11
export type VerificationMethod = (typeof verificationMethods)[number]

/** Gender. */ // Spec 2.11
export const genders = ['male', 'female', 'other'] as const
/** Gender. */ // Spec 2.11
export type Gender = (typeof genders)[number]

/** Type of a financial instrument. */ // Spec 2.7
export const financialInstrumentTypes = ['bank_account', 'credit_card', 'debit_card'] as const
/** Type of a financial instrument. */ // Spec 2.7
export type FinancialInstrumentType = (typeof financialInstrumentTypes)[number]

/** The outcome of a submission. */ // Spec 2.12, 3
export const leadStatuses = ['new', 'distributed', 'rejected'] as const
/** The outcome of a submission. */ // Spec 2.12, 3
export type LeadStatus = (typeof leadStatuses)[number]

/** Returns true if a text is a lead status. */ // Spec 2.12
export function isLeadStatus(text: string): text is LeadStatus {
  return (leadStatuses as readonly string[]).includes(text)
}
