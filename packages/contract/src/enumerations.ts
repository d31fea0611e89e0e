/** Why the customer borrows. */ // Spec 2.11
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
/** Why the customer borrows. */ // Spec 2.11
export type LoanPurpose = (typeof loanPurposes)[number]

/** How the customer earns a living. */ // Spec 2.11
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
/** How the customer earns a living. */ // Spec 2.11
export type OccupationType = (typeof occupationTypes)[number]

/** The customer's marital status. */ // Spec 2.11
export const maritalStatuses = [
  'married',
  'single',
  'widowed',
  'separated',
  'divorced',
  'domestic_partnership',
  'other',
] as const
/** The customer's marital status. */ // Spec 2.11
export type MaritalStatus = (typeof maritalStatuses)[number]

/** The customer's highest education. */ // Spec 2.11
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
/** The customer's highest education. */ // Spec 2.11
export type EducationLevel = (typeof educationLevels)[number]

/** Whether the customer owns or rents the home. */ // Spec 2.11
export const housingTenures = ['owner_with_mortgage', 'owner_without_mortgage', 'rental', 'other'] as const
/** Whether the customer owns or rents the home. */ // Spec 2.11
export type HousingTenure = (typeof housingTenures)[number]

/** The kind of home the customer lives in. */ // Spec 2.11
export const housingTypes = ['apartment', 'house', 'studio', 'villa', 'townhouse', 'duplex', 'other'] as const
/** The kind of home the customer lives in. */ // Spec 2.11
export type HousingType = (typeof housingTypes)[number]

/** The sector of the customer's employer. */ // Spec 2.11
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
/** The sector of the customer's employer. */ // Spec 2.11
export type CompanySector = (typeof companySectors)[number]

/** Whether a contact or an account was verified. */ // Spec 2.11
export const verificationStatuses = ['verified', 'not_verified', 'pending'] as const
/** Whether a contact or an account was verified. */ // Spec 2.11
export type VerificationStatus = (typeof verificationStatuses)[number]

/** How a contact was verified. */ // Spec 2.11
export const verificationMethods = ['otp', 'sms', 'link', 'manual'] as const
/** How a contact was verified. */ // Spec 2.11
export type VerificationMethod = (typeof verificationMethods)[number]

/** The customer's gender. */ // Spec 2.11
export const genders = ['male', 'female', 'other'] as const
/** The customer's gender. */ // Spec 2.11
export type Gender = (typeof genders)[number]

/** The kind of a financial instrument. */ // Spec 2.7
export const financialInstrumentTypes = ['bank_account', 'credit_card', 'debit_card'] as const
/** The kind of a financial instrument. */ // Spec 2.7
export type FinancialInstrumentType = (typeof financialInstrumentTypes)[number]

/** The result of a submission. */ // Spec 2.12, 3
export const leadStatuses = ['new', 'distributed', 'rejected'] as const
/** The result of a submission. */ // Spec 2.12, 3
export type LeadStatus = (typeof leadStatuses)[number]

/** Whether a text is a lead status. */ // Spec 2.12
export function isLeadStatus(text: string): text is LeadStatus {
  return (leadStatuses as readonly string[]).includes(text)
}

/** Why a lead is rejected. */ // Spec 2.12
export const rejectionReasons = [
  'customer_already_exists',
  'duplicate_submission',
  'eligibility_failed',
  'age_restriction',
  'income_insufficient',
  'geographic_restriction',
  'consents_missing',
  'invalid_product',
  'blacklisted',
  'fraud_suspected',
] as const
/** Why a lead is rejected. */ // Spec 2.12
export type RejectionReason = (typeof rejectionReasons)[number]
