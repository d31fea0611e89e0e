import type {
  CompanySector,
  EducationLevel,
  HousingTenure,
  HousingType,
  MaritalStatus,
  OccupationType,
} from '../enumerations.ts'

/** The number of children of a customer who states none (Spec 8). */
export const defaultChildren = 0

/** Work, income, household (Spec 2.6). */
export interface Profile {
  /** How the customer earns a living. */
  occupation: OccupationType
  /** Net monthly income, whole euros. */
  monthly_income: number
  /** Monthly expenses, whole euros. */
  monthly_expenses?: number
  /** Marital status. */
  marital_status?: MaritalStatus
  /** Number of children. Default `0`. */
  children?: number
  /** Highest education. */
  education?: EducationLevel
  /** On what terms the customer lives where they live. */
  housing_tenure?: HousingTenure
  /** The kind of home. */
  housing_type?: HousingType
  /** The sector of the employer. */
  company_sector?: CompanySector
}
