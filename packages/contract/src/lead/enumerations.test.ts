import { expect, it } from 'vitest'
import * as enumerations from './enumerations.ts'

/** Repeats the wire's enumerations: a lost or misspelled value fails a test. */
const cases: [string, readonly string[], string][] = [
  [
    'LoanPurpose',
    enumerations.loanPurposes,
    `personal_expenses bill_payment medical_expenses home_improvement vehicle_purchase education big_purchase business
     debt_consolidation leisure unforeseen_costs family wedding other`,
  ],
  [
    'OccupationType',
    enumerations.occupationTypes,
    `indefinite_employee part_time_employee temporary_employee self_employed civil_servant military homemaker student
     unemployed social_welfare retired pensioner other`,
  ],
  [
    'MaritalStatus',
    enumerations.maritalStatuses,
    'married single widowed separated divorced domestic_partnership other',
  ],
  [
    'EducationLevel',
    enumerations.educationLevels,
    'none primary secondary high_school vocational university_degree masters doctorate other',
  ],
  ['HousingTenure', enumerations.housingTenures, 'owner_with_mortgage owner_without_mortgage rental other'],
  ['HousingType', enumerations.housingTypes, 'apartment house studio villa townhouse duplex other'],
  [
    'CompanySector',
    enumerations.companySectors,
    `banking_finance_insurance construction_real_estate education energy_communications healthcare hospitality_tourism
     manufacturing_production military_defense public_administration raw_materials_mining sales_retail
     technology_telecommunications transport_logistics leisure_entertainment other`,
  ],
  ['VerificationStatus', enumerations.verificationStatuses, 'verified not_verified pending'],
  ['VerificationMethod', enumerations.verificationMethods, 'otp sms link manual'],
  ['Gender', enumerations.genders, 'male female other'],
]

it.each(cases)('$0 has exactly these values [2.11/$0]', (_name, values, expected) => {
  expect(values).toEqual(expected.split(/\s+/))
})

it('lists the kinds of instrument [2.7/type]', () => {
  expect(enumerations.financialInstrumentTypes).toEqual(['bank_account', 'credit_card', 'debit_card'])
})
