import type { Gender } from '../enumerations.ts'

/** The nationality of a customer who states none (Spec 8). */
export const defaultNacionality = 'ES'

/** Name, birthday, papers (Spec 2.3). */
export interface PersonalData {
  /** First name; not empty. */
  first_name: string
  /** Last name; not empty. */
  last_name: string
  /** Second surname. */
  second_surname?: string
  /** Birthday, as `YYYY-MM-DD`; a day that exists. */
  birthday?: string
  /** Number of the national id, foreigner id or passport. */
  identification_number?: string
  /** Nationality; spelled so on the wire. Default `ES`. */
  nacionality?: string
  /** Gender; the formal schema requires it, the prose does not. */
  gender?: Gender
}
