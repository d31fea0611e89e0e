/**
 * Submit leads, and read their results.
 * @module @lead-distribution/publisher-sdk
 */

// A lead, its parts and its check.

export {
  type CompleteConsents,
  type ConsentGiven,
  type ConsentRecord,
  createConsents,
  type Moment,
  type RequiredConsent,
} from './lead/create-consents.ts'
export { createTracking, type TrackingOrigin } from './lead/create-tracking.ts'
export {
  createLeadValidator,
  type LeadCheck,
  type LeadInterpretation,
  type LeadValidator,
  type StandardIssue,
  type StandardSchema,
  validateLead,
} from './lead/validate-lead.ts'

// The client.

export {
  createPublisher,
  type Publisher,
  type PublisherChanges,
  type PublisherOptions,
  type SubmitOptions,
} from './submit/publisher.ts'
export {
  type Distributed,
  type New,
  type RedirectUrl,
  type Rejected,
  redirectResponse,
  type SubmitResult,
  type Unrecognized,
} from './submit/submit-result.ts'
export {
  isOutcomeUnknown,
  type LeadItem,
  type LeadState,
  type Leads,
  type LeadWithAttempt,
  type SubmitManyOptions,
  type SubmitProgress,
  type SubmitRun,
  type SubmitRunEnd,
  type SubmittedLead,
  type TakenLead,
  type UnknownOutcome,
} from './submit/submit-run.ts'

// The options and errors of both SDKs, the types of the wire, and the values and bounds that a form is made from.

export {
  type Address,
  type CompanySector,
  type ConsentEntry,
  type ConsentMetadata,
  type Consents,
  type Contact,
  type Customer,
  companySectors,
  type EducationLevel,
  type EmailContact,
  type ErrorCode,
  type ErrorResponse,
  type EventName,
  educationLevels,
  type FieldIssue,
  type FinancialInstrument,
  type FinancialInstrumentType,
  financialInstrumentTypes,
  type Gender,
  genders,
  type HousingTenure,
  type HousingType,
  housingTenures,
  housingTypes,
  type LeadResponse,
  type LeadStatus,
  type LeadSubmission,
  type LoanProductData,
  type LoanPurpose,
  loanAmountBounds,
  loanPurposes,
  loanTermBounds,
  type MaritalStatus,
  maritalStatuses,
  type OccupationType,
  occupationTypes,
  type PersonalData,
  type PhoneContact,
  type Profile,
  type RejectionReason,
  rejectionReasons,
  requiredConsents,
  type Tracking,
  type UsageEvent,
  type VerificationMethod,
  type VerificationStatus,
  verificationMethods,
  verificationStatuses,
} from '@lead-distribution/contract'
export * from '@lead-distribution/sdk-core/public'
