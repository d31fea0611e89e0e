export type * from '@lead-distribution/contract'
// The words and bounds that a form is made from.
export {
  companySectors,
  educationLevels,
  financialInstrumentTypes,
  genders,
  housingTenures,
  housingTypes,
  loanAmountBounds,
  loanPurposes,
  loanTermBounds,
  maritalStatuses,
  occupationTypes,
  rejectionReasons,
  requiredConsents,
  verificationMethods,
  verificationStatuses,
} from '@lead-distribution/contract'
export * from '@lead-distribution/sdk-core/public'
export {
  type CompleteConsents,
  type ConsentGiven,
  type ConsentRecord,
  createConsents,
  type Moment,
  type RequiredConsent,
} from './consents/create-consents.ts'
export type { Leads } from './submit/lead-source.ts'
export { createPublisher, type Publisher, type PublisherOptions, type SubmitOptions } from './submit/publisher.ts'
export { redirectResponse } from './submit/redirect-response.ts'
export type { RedirectUrl } from './submit/redirect-url.ts'
export type { StandardIssue, StandardSchema } from './submit/standard-schema.ts'
export type { Distributed, New, Rejected, SubmitResult, Unrecognized } from './submit/submit-result.ts'
export type {
  SubmitManyOptions,
  SubmitProgress,
  SubmitRun,
  SubmitRunEnd,
  SubmittedLead,
  TakenLead,
} from './submit/submit-run.ts'
export {
  createLeadValidator,
  type LeadCheck,
  type LeadReading,
  type LeadValidator,
  validateLead,
} from './submit/validate-lead.ts'
export { createTracking, type TrackingOrigin } from './tracking/create-tracking.ts'
